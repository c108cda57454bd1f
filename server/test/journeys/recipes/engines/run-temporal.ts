// Runs the Temporal recipe on the stand-in: `node run-temporal.ts <folder of the recipe> <workflow ID> <question>`.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cancelWorkflow, setWorker } from './temporal.ts';

const [folder = '', workflowId = '', question = ''] = process.argv.slice(2);
const load = (file: string): Promise<object> => import(pathToFileURL(join(folder, file)).href) as Promise<object>;

setWorker(await load('activities.ts'), workflowId);
await load('webhooks.ts');
const { answerTicket } = (await load('workflows.ts')) as { answerTicket: (question: string) => Promise<string | null> };
process.on('SIGUSR2', cancelWorkflow);
const result = await answerTicket(question).catch((error: unknown) => String(error));
// The receiver stays: what arrives afterwards is about a workflow that has ended.
setWorker({}, '');
process.stdout.write(`result: ${result}\n`);
