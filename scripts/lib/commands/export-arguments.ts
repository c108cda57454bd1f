// The command line of `npm run export`.
import { parseArgs } from 'node:util';
import { type ExportFilter, exportFilter } from '../../../shared/src/api/exports.ts';
import { uuid } from '../../../shared/src/ids.ts';
import { UsageError } from '../submit/arguments.ts';

export const EXPORT_USAGE = `Usage: npm run export -- --project ID [--format FORMAT] [options] FILE.jsonl

  --project     id of the project
  --format      raw (default), chat, preference or eval
  --action      edit or reject: only these
  --reason, --flag, --model, --source
                only learnings with exactly this
  --cluster     id of a cluster of reasons: only learnings whose reasons are in it now
  --split       train or test: one side, by the input
  --test-share  how much of the inputs is on the side of the test, 0 to 1 (0.2)

Reads the database that DATABASE_URL or DATA_DIR names, with the service's own environment; it may run beside the
service. What the file has already stays, and the lines that are new since are added: run it again after a break, or
every night, always with the same options. If learnings were excluded or included again, or the cluster changed, the
export no longer matches the file: choose another file.`;

export interface ExportArguments {
  projectId: string;
  filter: ExportFilter;
  file: string;
}

/** Reads the command line. Errors: `UsageError`. */
export function readExportArguments(args: string[]): ExportArguments | 'help' {
  const { values, positionals } = parse(args);
  const { help, project, 'test-share': testShare, ...asked } = values;
  if (help === true) return 'help';
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) throw new UsageError('Name one JSONL file.');
  const id = uuid.safeParse(project);
  if (!id.success) throw new UsageError('Give the id of the project (a UUID) with --project.');
  const filter = exportFilter.safeParse({ ...asked, ...(testShare !== undefined && { test_share: testShare }) });
  const [fault] = filter.error?.issues ?? [];
  if (fault !== undefined) throw new UsageError(`--${fault.path.join('.').replace('_', '-')}: ${fault.message}.`);
  return { projectId: id.data.toLowerCase(), filter: filter.data as ExportFilter, file };
}

function parse(args: string[]) {
  const text = { type: 'string' } as const;
  const options = { project: text, format: text, action: text, reason: text, flag: text, model: text, source: text };
  const more = { cluster: text, split: text, 'test-share': text, help: { type: 'boolean', short: 'h' } } as const;
  try {
    return parseArgs({ args, allowPositionals: true, options: { ...options, ...more } });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : 'The command line cannot be read.');
  }
}
