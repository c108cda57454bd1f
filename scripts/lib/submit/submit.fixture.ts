// Runs the submitter without a command line or a clock, for its tests.
import { fakeClock, PROJECT } from '../../../shared/src/client/fake-service.fixture.ts';
import { readLines } from '../files/read-lines.ts';
import { submitFile, type SubmitOptions } from './file.ts';
import { LINE_BYTES } from './line.ts';
import type { Summary } from './tally.ts';

/** Submits a file's text with four workers, unless told otherwise. */
export function run(url: string, text: string, options: Partial<SubmitOptions> = {}): Promise<Summary> {
  return submitFile(readLines(bytes(text), LINE_BYTES), {
    url,
    apiKey: 'csk_test',
    projectId: PROJECT,
    concurrency: 4,
    clock: fakeClock().clock,
    signal: new AbortController().signal,
    ...options,
  });
}

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** The text of a file with so many items, `{"input":0}` and on. */
export function items(count: number): string {
  return Array.from({ length: count }, (_, index) => `{"input":${index}}\n`).join('');
}
