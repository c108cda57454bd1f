// Runs the Trigger.dev recipe on the stand-in: `node run-trigger.ts <folder of the recipe> <run ID> <question>`.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runTask } from './trigger.ts';

const [folder = '', runId = '', question = ''] = process.argv.slice(2);
await import(pathToFileURL(join(folder, 'answer-ticket.ts')).href);
await import(pathToFileURL(join(folder, 'webhooks.ts')).href);
process.stdout.write(`result: ${await runTask(runId, question).catch(String)}\n`);
