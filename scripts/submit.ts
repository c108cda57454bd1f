// `npm run submit`: submits a JSONL file of items through the public API, with progress and a summary by status.
import { createReadStream } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { runCommand } from './lib/commands/run-command.ts';
import { onStopSignal } from './lib/processes/on-stop-signal.ts';
import { readLines } from './lib/files/read-lines.ts';
import { readArguments, sizeOf, USAGE } from './lib/submit/arguments.ts';
import { submitFile, type Progress } from './lib/submit/file.ts';
import { LINE_BYTES } from './lib/submit/line.ts';
import { showProgress } from './lib/submit/progress.ts';
import { exitCode, formatSummary } from './lib/submit/report.ts';
import type { RetryClock } from './lib/submit/request.ts';

const clock: RetryClock = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined),
};

async function main(): Promise<number> {
  const options = readArguments(process.argv.slice(2), process.env);
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
    const summary = await submitFile(lines, { ...options, clock, signal: stop.signal, onProgress });
    view.stop();
    console.log(`${process.stdout.isTTY ? '\n' : ''}${formatSummary(summary)}`);
    return exitCode(summary);
  } finally {
    view.stop();
  }
}

await runCommand(main, { usage: USAGE });
