// Converts an error for logging. PostgreSQL errors quote the failed row, including payloads and hashes, which must not
// be logged.

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
