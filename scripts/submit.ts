// `npm run submit`: submits a JSONL file of items through the public API, with progress and a summary by status.
import { createReadStream } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { uuid } from '../shared/src/ids.ts';
import { onStopSignal } from './lib/on-stop-signal.ts';
import { readLines } from './lib/read-lines.ts';
import { submitFile, type Progress } from './lib/submit-file.ts';
import { LINE_BYTES } from './lib/submit-line.ts';
import { showProgress } from './lib/submit-progress.ts';
import { exitCode, formatSummary } from './lib/submit-report.ts';
import type { Pace } from './lib/submit-request.ts';

const USAGE = `Usage: npm run submit -- --url URL --key KEY --project ID [--concurrency N] FILE.jsonl

  --url          address of the service, such as http://localhost:3000
  --key          API key of the project (or the environment variable COUNTERSIGN_API_KEY)
  --project      id of the project
  --concurrency  requests in flight at most, 1 to 256 (16)

Each line of the file is one item: {"input":…,"suggestion":…,"confidence":0.82}, with risk_flags and metadata
where there are any. Running the same command again submits nothing twice.`;

interface Arguments {
  url: string;
  apiKey: string;
  projectId: string;
  concurrency: number;
  file: string;
}

/** A command line that cannot be used; the message is one sentence for the person who typed it. */
class UsageError extends Error {}

function readArguments(args: string[]): Arguments | 'help' {
  const { values, positionals } = parse(args);
  if (values.help === true) return 'help';
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) throw new UsageError('Name one JSONL file.');
  const key = values.key ?? process.env['COUNTERSIGN_API_KEY'] ?? '';
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

async function sizeOf(file: string): Promise<number> {
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

const pace: Pace = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined),
};

async function main(): Promise<number> {
  const options = readArguments(process.argv.slice(2));
  if (options === 'help') {
    console.log(USAGE);
    return 0;
  }
  const size = await sizeOf(options.file);
  const stop = new AbortController();
  onStopSignal(() => stop.abort());
  const view = showProgress(size, process.stdout);
  const lines = readLines(createReadStream(options.file, { highWaterMark: 1024 * 1024 }), LINE_BYTES);
  try {
    const onProgress = (progress: Progress): void => view.update(progress);
    const summary = await submitFile(lines, { ...options, pace, signal: stop.signal, onProgress });
    view.stop();
    console.log(`${process.stdout.isTTY ? '\n' : ''}${formatSummary(summary)}`);
    return exitCode(summary);
  } finally {
    view.stop();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  const usage = error instanceof UsageError;
  console.error(usage ? `${error.message}\n\n${USAGE}` : error);
  process.exitCode = usage ? 2 : 1;
}
