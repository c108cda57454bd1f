// Receives webhooks and signals the workflow that waits for the item.
import { Client, Connection, WorkflowNotFoundError } from '@temporalio/client';
import { listen } from './countersign.ts';

const connection = await Connection.connect({ address: process.env.TEMPORAL_ADDRESS ?? 'localhost:7233' });
const temporal = new Client({ connection });

listen(async (item, { event }) => {
  const workflowId = item.metadata?.temporal_workflow_id;
  if (typeof workflowId !== 'string') return; // another pipeline of the project submitted it
  try {
    // A signal more is harmless: the workflow only reads its item again.
    await temporal.workflow.getHandle(workflowId).signal('reviewEnded');
  } catch (error) {
    // It has ended. After decision.revised your own correction starts here; see "Revisions" in the README.
    if (error instanceof WorkflowNotFoundError) return console.log(`${event}: workflow ${workflowId} has ended.`);
    throw error; // the service sends the webhook again later
  }
});
