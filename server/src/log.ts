// Creates the log of a process.
import { type DestinationStream, type Logger, pino } from 'pino';
import { loggableError, type LoggableError } from './db/connection/statement-log.ts';
import { withSourcePositions } from './source-positions.ts';

/** Writes lines of JSON to standard output unless another destination is given. */
export const createLog = (level: string, destination?: DestinationStream): Logger =>
  pino({ level, base: null, serializers: { err: (error: unknown) => atSources(loggableError(error)) } }, destination);

/** The same error with stacks that name the sources. */
function atSources({ stack, cause, ...error }: LoggableError): LoggableError {
  return { ...error, stack: withSourcePositions(stack), ...(cause && { cause: atSources(cause) }) };
}
