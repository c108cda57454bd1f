// Creates the log of a process.
import { type Logger, pino } from 'pino';
import { loggableError } from './db/connection/statement-log.ts';

export const createLog = (level: string): Logger => pino({ level, base: null, serializers: { err: loggableError } });
