// The command line of `npm run rollups`.
import { parseArgs } from 'node:util';
import { uuid } from '../../../shared/src/schemas/parts/ids.ts';
import { UsageError } from '../submit/arguments.ts';

export const ROLLUPS_USAGE = `Usage: npm run rollups -- check|rebuild [--project ID]

  check      counts every event log from its beginning and compares with the figures of analytics; ends with 1 when one differs
  rebuild    deletes the figures and counts them again in batches; analytics fills up meanwhile

Of one project, or of all. Works on the database that DATABASE_URL or DATA_DIR names, with the service's own environment;
it may run beside the service.`;

const SUBCOMMANDS = ['check', 'rebuild'] as const;

export interface RollupsArguments {
  subcommand: (typeof SUBCOMMANDS)[number];
  /** Null: all. */
  projectId: string | null;
}

/** Reads the command line. Errors: `UsageError`. */
export function readRollupsArguments(args: string[]): RollupsArguments | 'help' {
  const { values, positionals } = parse(args);
  if (values.help === true) return 'help';
  const subcommand = SUBCOMMANDS.find((name) => name === positionals[0]);
  if (subcommand === undefined || positionals.length > 1) throw new UsageError('Say check or rebuild.');
  if (values.project === undefined) return { subcommand, projectId: null };
  const id = uuid.safeParse(values.project);
  if (!id.success) throw new UsageError('Give the id of the project (a UUID) with --project.');
  return { subcommand, projectId: id.data.toLowerCase() };
}

function parse(args: string[]) {
  try {
    const options = { project: { type: 'string' }, help: { type: 'boolean', short: 'h' } } as const;
    return parseArgs({ args, allowPositionals: true, options });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : 'The command line cannot be read.');
  }
}
