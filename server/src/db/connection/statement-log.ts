// Logs slow statements with their duration, and failed ones with kind and place, never with values (K7).
import type { Pool, PoolClient } from 'pg';

/** A slow statement: `ms` includes waiting for locks, `text` has no values. */
export interface SlowStatement {
  ms: number;
  text: string;
}

type Query = (...asked: unknown[]) => unknown;

/** Reports every statement on this pool that takes `afterMs` or longer. */
export function watchStatements(pool: Pool, afterMs: number, tell: (slow: SlowStatement) => void): void {
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as unknown as Query;
    const timed: Query = (...asked) => {
      const startedAt = performance.now();
      const answer = query(...asked);
      const over = () => {
        const ms = Math.round(performance.now() - startedAt);
        if (ms >= afterMs) tell({ ms, text: statementWithoutValues(textOf(asked[0])) });
      };
      if (answer instanceof Promise) answer.then(over, over);
      return answer;
    };
    client.query = timed as PoolClient['query'];
  });
}

const textOf = (asked: unknown): string =>
  typeof asked === 'string' ? asked : ((asked as { text?: string }).text ?? '');

/** Enough to identify the statement. */
const SHOWN = 500;
/** A literal with escapes, and one without, in which a backslash is an ordinary character. */
const LITERALS = /\bE'(?:[^'\\]|''|\\.)*'|'(?:[^']|'')*'/gi;

/**
 * The text on one line, with `?` for every literal: the ORM inlines some values. An unterminated literal hides the
 * rest.
 */
export function statementWithoutValues(text: string): string {
  const [shown = ''] = text.replace(LITERALS, '?').split("'");
  return shown.replace(/\s+/g, ' ').trim().slice(0, SHOWN);
}

export interface LoggableError {
  type: string;
  message: string;
  /** The stack without the message. */
  stack: string;
  code?: string;
  cause?: LoggableError;
}

/** Kind, location and the message without values; no other properties. For the `err` of a logger. */
export function loggableError(error: unknown): LoggableError {
  if (!(error instanceof Error)) return { type: typeof error, message: '', stack: '' };
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return {
    type: error.constructor.name,
    message: withoutValues(error.message),
    stack: stackFrames(error.stack ?? ''),
    ...(typeof code === 'string' || typeof code === 'number' ? { code: String(code) } : {}),
    ...(cause instanceof Error ? { cause: loggableError(cause) } : {}),
  };
}

/**
 * Names of columns and tables stay. Values occur in other quotes, after a colon and a quote, or on the detail lines
 * that follow.
 */
function withoutValues(message: string): string {
  const [first = ''] = message.split('\n');
  return first
    .replace(/: ".*$/, '')
    .replace(/"([^"]*)"/g, (quoted, name: string) => (NAME.test(name) ? quoted : '"…"'));
}

const NAME = /^[a-z_][a-z0-9_]*$/;

const stackFrames = (stack: string): string =>
  stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n');
