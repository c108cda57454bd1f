// Reads the command line of a command that takes flags alone, before it starts anything.
import { parseArgs } from 'node:util';

/**
 * Whether each of the flags was given. Ends the process after `--help`, which prints the usage, and with 2 after any other
 * argument. Loads nothing but Node's own modules: every start waits for it.
 */
export function readFlags<Name extends string = never>(
  usage: string,
  names: readonly Name[] = [],
): Record<Name, boolean> {
  const flags = Object.fromEntries(names.map((name) => [name, { type: 'boolean' } as const]));
  try {
    const { values }: { values: Record<string, unknown> } = parseArgs({
      options: { ...flags, help: { type: 'boolean', short: 'h' } },
    });
    if (values['help'] !== true)
      return Object.fromEntries(names.map((name) => [name, values[name] === true])) as Record<Name, boolean>;
    console.log(usage);
    process.exit(0);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : 'The command line cannot be read.'}\n\n${usage}`);
    process.exit(2);
  }
}
