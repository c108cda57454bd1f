// `npm run export`: learnings as JSONL from the database itself, for jobs that run by schedule. Adds what is new to the file (LX2).
import { openForCommand } from '../server/src/main.ts';
import { exportLearnings } from '../server/src/usecases/export-learnings.ts';
import { Refusal } from '../shared/src/errors.ts';
import { appendAfter, wholeLines } from './lib/append-lines.ts';
import { EXPORT_USAGE, readExportArguments } from './lib/export-arguments.ts';
import { UsageError } from './lib/submit-arguments.ts';

async function main(): Promise<void> {
  const options = readExportArguments(process.argv.slice(2));
  if (options === 'help') return console.log(EXPORT_USAGE);
  const { file, projectId, filter } = options;
  const had = await wholeLines(file);
  const built = await openForCommand();
  try {
    const { lines } = await exportLearnings(built.services, 'operator', { projectId, filter, skip: had.lines });
    await appendAfter(file, had.bytes, lines);
  } finally {
    await built.close();
  }
  const has = await wholeLines(file);
  console.log(`${file}: ${has.lines - had.lines} new, ${has.lines} lines in all`);
}

try {
  await main();
} catch (error) {
  const usage = error instanceof UsageError;
  console.error(usage ? `${error.message}\n\n${EXPORT_USAGE}` : error instanceof Refusal ? error.message : error);
  process.exitCode = usage ? 2 : 1;
}
