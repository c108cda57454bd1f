// `npm run export`: exports learnings from the database as JSONL and appends new lines to the file (LX2).
import { openForCommand } from '../server/src/open-for-command.ts';
import { exportLearnings } from '../server/src/usecases/learnings/export-learnings.ts';
import { Refusal } from '../shared/src/errors.ts';
import { appendLines, FileFault } from './lib/files/append-lines.ts';
import { EXPORT_USAGE, readExportArguments } from './lib/commands/export-arguments.ts';
import { runCommand } from './lib/commands/run-command.ts';

async function main(): Promise<void> {
  const options = readExportArguments(process.argv.slice(2));
  if (options === 'help') return console.log(EXPORT_USAGE);
  const { file, projectId, filter } = options;
  const built = await openForCommand();
  try {
    const { lines } = await exportLearnings(built.services, 'operator', { projectId, filter, skip: 0 });
    console.log(`${file}: ${await appendLines(file, lines)} lines added`);
  } finally {
    await built.close();
  }
}

await runCommand(main, { usage: EXPORT_USAGE, userErrors: [Refusal, FileFault] });
