// Runs the Inngest recipe on the stand-in: `node run-inngest.ts <folder of the recipe> <run ID> <question>`.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runFunction } from './inngest.ts';

const [folder = '', runId = '', question = ''] = process.argv.slice(2);
// The receiver imports the function.
await import(pathToFileURL(join(folder, 'webhooks.ts')).href);
process.stdout.write(`result: ${await runFunction(runId, question).catch(String)}\n`);
