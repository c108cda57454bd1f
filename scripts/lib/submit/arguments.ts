// The command line of `npm run submit`.
import { access, constants, stat } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { uuid } from '../../../shared/src/schemas/parts/ids.ts';

export const USAGE = `Usage: npm run submit -- --url URL --key KEY --project ID [--concurrency N] FILE.jsonl

  --url          address of the service, such as http://localhost:3000
  --key          API key of the project (or the environment variable COUNTERSIGN_API_KEY)
  --project      id of the project
  --concurrency  requests in flight at most, 1 to 256 (16)

Each line of the file is one item: {"input":…,"suggestion":…,"confidence":0.82}, with risk_flags and metadata
where there are any. Running the same command again submits nothing twice, also after lines
were corrected, removed or moved.`;

export interface Arguments {
  /** The service's base address without a slash at its end. */
  url: string;
  apiKey: string;
  /** In lower case. */
  projectId: string;
  concurrency: number;
  file: string;
}

/** A command line that cannot be used; the message is one sentence for the person who typed it. */
export class UsageError extends Error {}

/** Reads the command line; the API key may come from the environment. Errors: `UsageError`. */
export function readArguments(args: string[], env: NodeJS.ProcessEnv): Arguments | 'help' {
  const { values, positionals } = parse(args);
  if (values.help === true) return 'help';
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) throw new UsageError('Name one JSONL file.');
  const key = values.key ?? env['COUNTERSIGN_API_KEY'] ?? '';
  if (!/^[\x21-\x7e]+$/.test(key)) throw new UsageError('Give the API key with --key or COUNTERSIGN_API_KEY.');
  const project = uuid.safeParse(values.project);
  if (!project.success) throw new UsageError('Give the id of the project (a UUID) with --project.');
  const concurrency = Number(values.concurrency ?? '16');
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > 256) {
    throw new UsageError('--concurrency must be a whole number from 1 to 256.');
  }
  return { url: baseAddress(values.url), apiKey: key, projectId: project.data.toLowerCase(), concurrency, file };
}

function parse(args: string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: { url: text, key: text, project: text, concurrency: text, help: { type: 'boolean', short: 'h' } },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : 'The command line cannot be read.');
  }
}

/** The service's base address: also when the whole path of the endpoint was pasted. */
function baseAddress(text = ''): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new UsageError('Give the address of the service with --url, such as http://localhost:3000.');
  }
  return (url.origin + url.pathname).replace(/\/*(\/api\/public(\/items)?)?\/*$/, '');
}

/** The file's size in bytes. Errors: `UsageError`, where there is no file that can be read. */
export async function sizeOf(file: string): Promise<number> {
  try {
    const found = await stat(file);
    if (found.isDirectory()) throw new UsageError(`${file} is a directory, not a JSONL file.`);
    await access(file, constants.R_OK);
    return found.size;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${file} cannot be read.`);
  }
}
