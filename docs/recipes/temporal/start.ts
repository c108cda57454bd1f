// Starts a workflow: `node start.ts ticket-17 "Can I get my money back?"`. The same ID does not start a second one.
import { Client, Connection } from '@temporalio/client';
import type { answerTicket } from './workflows.ts';

const [workflowId = 'ticket-17', question = 'Can I get my money back after 40 days?'] = process.argv.slice(2);
const connection = await Connection.connect({ address: process.env.TEMPORAL_ADDRESS ?? 'localhost:7233' });
const temporal = new Client({ connection });
const handle = await temporal.workflow.start<typeof answerTicket>('answerTicket', {
  workflowId,
  args: [question],
  taskQueue: 'answers',
  workflowIdConflictPolicy: 'USE_EXISTING',
});
console.log(await handle.result());
await connection.close();
