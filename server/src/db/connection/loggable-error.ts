// An error as logs may have it. What a database says of a failed statement quotes the row it failed on: payloads, hashes, all of it.

export interface LoggableError {
  type: string;
  message: string;
  /** Where it came from, without the message. */
  stack: string;
  code?: string;
  cause?: LoggableError;
}

/** Kind, place and a message without the values it was about; none of an error's other members. For a logger's `err`. */
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

/** Names of columns and tables stay. Values stand in other quotes, behind a colon and a quote, or on the lines of detail that follow. */
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
