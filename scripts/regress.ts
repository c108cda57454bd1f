// `npm run regress`: starts a regression run, saves its cases or answers it, through the public API.
import { createReadStream } from 'node:fs';
import type { RegressionStart } from '../shared/src/schemas/regressions.ts';
import { ApiError, createClient, NetworkError, type Client, type Retry } from '../shared/src/client.ts';
import { oneLine } from '../shared/src/json/json-line.ts';
import { answerFile } from './lib/files/answer-file.ts';
import { FileFault } from './lib/files/append-lines.ts';
import { readLines } from './lib/files/read-lines.ts';
import { openReplacement } from './lib/files/replacement.ts';
import { readRegressArguments, REGRESS_USAGE, type RegressArguments } from './lib/commands/regress-arguments.ts';
import { runCommand } from './lib/commands/run-command.ts';
import { sizeOf } from './lib/submit/arguments.ts';
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
  if (options.read || typeof options.run !== 'string') return readCases(client, options);
  await sizeOf(file);
  return sendAnswers(client, options.run, file);
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

/** The file first: a run that is begun for one that cannot be written would be of no use. */
async function readCases(client: Client, { run, file }: Pick<RegressArguments, 'run' | 'file'>): Promise<number> {
  const replacement = await openReplacement(file);
  try {
    const id = typeof run === 'string' ? run : await begin(client, run);
    let lines = 0;
    const content = async function* () {
      for await (const text of client.eachCaseText(id, { unanswered: true })) {
        yield `${oneLine(text)}\n`;
        lines += 1;
      }
    };
    await replacement.fill(content());
    console.log(`${file}: ${lines} cases`);
    return 0;
  } catch (error) {
    await replacement.discard();
    throw error;
  }
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

await runCommand(main, { usage: REGRESS_USAGE, userErrors: [ApiError, NetworkError, FileFault] });
