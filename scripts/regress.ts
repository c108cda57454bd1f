// `npm run regress`: starts a regression run, saves its cases or answers it, through the public API.
import { createReadStream, createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { RegressionStart } from '../shared/src/schemas/regressions.ts';
import { ApiError, createClient, NetworkError, type Client, type Retry } from '../shared/src/client.ts';
import { oneLine } from '../shared/src/json/json-line.ts';
import { answerFile } from './lib/files/answer-file.ts';
import { readLines } from './lib/files/read-lines.ts';
import { readRegressArguments, REGRESS_USAGE } from './lib/commands/regress-arguments.ts';
import { UsageError } from './lib/submit/arguments.ts';
import { LINE_BYTES } from './lib/submit/line.ts';

/** Retries of a request: few, as a person waits, and can run the command again. */
const TRIES = 6;

async function main(): Promise<number> {
  const options = readRegressArguments(process.argv.slice(2), process.env);
  if (options === 'help') {
    console.log(REGRESS_USAGE);
    return 0;
  }
  const { url: baseUrl, apiKey, file } = options;
  const client = createClient({ baseUrl, apiKey, retry: { tries: TRIES, onRetry: printRetry } });
  const run = typeof options.run === 'string' ? options.run : await begin(client, options.run);
  return options.read ? readCases(client, run, file) : sendAnswers(client, run, file);
}

/** Tells the waiting person the reason. */
function printRetry({ error, delayMs }: Retry): void {
  console.error(`${error.message} Trying again in ${Math.ceil(delayMs / 1000)} s.`);
}

async function begin(client: Client, start: RegressionStart): Promise<string> {
  const { id, cases } = await client.startRegression(start);
  console.log(`run ${id}, ${cases} cases`);
  return id;
}

async function readCases(client: Client, run: string, file: string): Promise<number> {
  const part = `${file}.part`;
  let lines = 0;
  await pipeline(async function* () {
    for await (const text of client.eachCaseText(run, { unanswered: true })) {
      yield `${oneLine(text)}\n`;
      lines += 1;
    }
  }, createWriteStream(part));
  // An existing file stays until everything has arrived.
  await rename(part, file);
  console.log(`${file}: ${lines} cases`);
  return 0;
}

async function sendAnswers(client: Client, run: string, file: string): Promise<number> {
  const lines = readLines(createReadStream(file), LINE_BYTES);
  const { refused, still_fails, differs, fixed } = await answerFile(client, run, lines);
  for (const { line, why } of refused) console.error(`${file}:${line}: ${why}`);
  console.log(`still fails ${still_fails}, differs ${differs}, fixed ${fixed}, refused ${refused.length}`);
  const { cases, answered } = await client.regression(run);
  console.log(`${answered} of ${cases} are answered`);
  return still_fails > 0 || refused.length > 0 ? 1 : 0;
}

/** What went wrong, in words where they say it all. */
function messageOf(error: unknown): unknown {
  if (error instanceof UsageError) return `${error.message}\n\n${REGRESS_USAGE}`;
  const code = (error as NodeJS.ErrnoException | null)?.code;
  const isUserError = error instanceof ApiError || error instanceof NetworkError || code === 'ENOENT';
  return isUserError ? (error as Error).message : error;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
