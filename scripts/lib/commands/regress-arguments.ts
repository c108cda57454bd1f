// The command line of `npm run regress`.
import { parseArgs } from 'node:util';
import { uuid } from '../../../shared/src/schemas/parts/ids.ts';
import { regressionStart, type RegressionStart } from '../../../shared/src/schemas/regressions.ts';
import { UsageError } from '../submit/arguments.ts';

export const REGRESS_USAGE = `Usage: npm run regress -- --url URL --key KEY --start CASES.jsonl [which learnings]
       npm run regress -- --url URL --key KEY --run ID --read CASES.jsonl
       npm run regress -- --url URL --key KEY --run ID ANSWERS.jsonl

  --url   address of the service, such as http://localhost:3000
  --key   API key of the project (or the environment variable COUNTERSIGN_API_KEY)
  --run   id of the regression run, from --start or the learnings page
  --start starts a run, prints its id, and writes its cases, a line {"id":…,"input":…,"metadata":…} each: over all learnings,
          or with --cluster ID, --action edit|reject, --flag, --model and --source over some; --title names it
  --read  writes the cases without an answer

Each line of the answers is {"case_id":…,"suggestion":…,"confidence":0.82}, with risk_flags where there are any. Nothing is
queued, decided or delivered. Ends with 1 when something still fails or was refused.`;

export interface RegressArguments {
  url: string;
  apiKey: string;
  /** The run, or the selection of a new one. */
  run: string | RegressionStart;
  /** Whether the file is written with cases, not read for answers. */
  read: boolean;
  file: string;
}

/** Reads the command line; the API key may come from the environment. Errors: `UsageError`. */
export function readRegressArguments(args: string[], env: NodeJS.ProcessEnv): RegressArguments | 'help' {
  const { values, positionals } = parse(args);
  if (values.help === true) return 'help';
  const [file, ...more] = [values.start ?? [], values.read ?? [], positionals].flat();
  if (file === undefined || more.length > 0) throw new UsageError('Name one JSONL file.');
  const apiKey = values.key ?? env['COUNTERSIGN_API_KEY'] ?? '';
  if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new UsageError('Give the API key with --key or COUNTERSIGN_API_KEY.');
  const run = readRun(values);
  const url = values.url ?? '';
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new UsageError('Give the address of the service with --url, such as http://localhost:3000.');
  return { url, apiKey, run, read: (values.start ?? values.read) !== undefined, file };
}

/** The selection of a new run, by option; the contract validates it. */
const WHICH = ['cluster', 'action', 'flag', 'model', 'source', 'title'] as const;

function readRun(values: ReturnType<typeof parse>['values']): string | RegressionStart {
  const named = WHICH.filter((name) => values[name] !== undefined);
  if (values.start === undefined) {
    const run = uuid.safeParse(values.run);
    if (!run.success) throw new UsageError('Give the id of the run (a UUID) with --run, or begin one with --start.');
    if (named[0] !== undefined) throw new UsageError(`--${named[0]} is for a run that is begun with --start.`);
    return run.data;
  }
  if (values.run !== undefined) throw new UsageError('A run that is begun with --start has no --run yet.');
  const { cluster: cluster_id, action, flag, model, source, title } = values;
  const start = regressionStart.safeParse({ cluster_id, action, flag, model, source, title });
  if (start.success) return start.data;
  const [issue] = start.error.issues;
  throw new UsageError(`--${String(issue?.path[0]).replace('_id', '')}: ${issue?.message ?? 'cannot be used'}`);
}

function parse(args: string[]) {
  const text = { type: 'string' } as const;
  const which = { cluster: text, action: text, flag: text, model: text, source: text, title: text } as const;
  const files = { start: text, read: text } as const;
  const options = {
    url: text,
    key: text,
    run: text,
    ...files,
    ...which,
    help: { type: 'boolean', short: 'h' },
  } as const;
  try {
    return parseArgs({ args, allowPositionals: true, options });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : 'The command line cannot be read.');
  }
}
