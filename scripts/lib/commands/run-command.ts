// Runs a command, prints errors as sentences, and sets an exit code that marks usage errors.
import { ConfigError } from '../../../server/src/config.ts';
import { EmbeddedError } from '../../../server/src/embedded/embedded-error.ts';
import { UsageError } from '../submit/arguments.ts';

type Kind = abstract new (...args: never[]) => Error;

interface CommandOptions {
  /** Printed after the usage error. */
  usage?: string;
  /** Errors with a message for the person at the command line, beside those of the configuration and of the embedded database. */
  userErrors?: readonly Kind[];
}

/** Nobody reads the output any more, as after `| head`. */
class OutputClosed extends Error {}

/** That of a program that SIGPIPE ended: the command was cut off, so it is neither a success nor a failure. */
const OUTPUT_CLOSED = 141;

/**
 * Runs it, and exits with the code that it returns, or 0. Prints what it throws, and exits with 2 for a usage error, else with 1.
 * `outputClosed` fires when nobody reads the output any more. A command that only prints throws its reason, which ends it quietly;
 * one that changes something need not look at it, and goes on without an output.
 */
export async function runCommand(
  main: (outputClosed: AbortSignal) => Promise<number> | Promise<void>,
  { usage, userErrors = [] }: CommandOptions = {},
): Promise<void> {
  try {
    const code = await main(watchOutput());
    if (typeof code === 'number') process.exitCode = code;
  } catch (error) {
    if (error instanceof OutputClosed) return void (process.exitCode = OUTPUT_CLOSED);
    const isUsage = error instanceof UsageError;
    const kinds: readonly Kind[] = [UsageError, ConfigError, EmbeddedError, ...userErrors];
    const isForUser = kinds.some((kind) => error instanceof kind) || isSystemError(error);
    const shownError = isForUser ? (error as Error).message : error;
    console.error(isUsage && usage !== undefined ? `${error.message}\n\n${usage}` : shownError);
    process.exitCode = isUsage ? 2 : 1;
  }
}

/** Without a listener the error of a closed pipe would end the process at once, and leave running what it started. */
function watchOutput(): AbortSignal {
  const closed = new AbortController();
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) =>
      closed.abort(error.code === 'EPIPE' ? new OutputClosed(error.message) : error),
    );
  return closed.signal;
}

/** The operating system refused something: its message says what and where, such as a file. */
const isSystemError = (error: unknown): boolean => error instanceof Error && 'syscall' in error && 'code' in error;
