// Runs a command on the database, prints errors as sentences, and sets an exit code that marks usage errors.
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

/** Runs it; prints what it throws, and exits with 2 for a usage error, else with 1. */
export async function runCommand(
  main: () => Promise<void>,
  { usage, userErrors = [] }: CommandOptions = {},
): Promise<void> {
  try {
    await main();
  } catch (error) {
    const isUsage = error instanceof UsageError;
    const kinds: readonly Kind[] = [UsageError, ConfigError, EmbeddedError, ...userErrors];
    const shownError = error instanceof Error && kinds.some((kind) => error instanceof kind) ? error.message : error;
    console.error(isUsage && usage !== undefined ? `${error.message}\n\n${usage}` : shownError);
    process.exitCode = isUsage ? 2 : 1;
  }
}
