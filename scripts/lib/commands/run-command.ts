// How a command on the database ends: in words where they say it all, and with a code that says whose fault it was.
import { ConfigError } from '../../../server/src/config.ts';
import { EmbeddedError } from '../../../server/src/embedded/embedded-error.ts';
import { UsageError } from '../submit/arguments.ts';

type Kind = abstract new (...args: never[]) => Error;

interface Ending {
  /** Said after what is wrong with the command line. */
  usage?: string;
  /** Errors whose message is for whoever typed the command, beside those of the configuration and of the embedded database. */
  userErrors?: readonly Kind[];
}

/** Runs it; what it throws is said, and the process ends with 2 for a command line that cannot be used, else with 1. */
export async function runCommand(main: () => Promise<void>, { usage, userErrors = [] }: Ending = {}): Promise<void> {
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
