// Runs workflows and activities. `TEMPORAL_ADDRESS` is localhost:7233 where it is not set.
import { fileURLToPath } from 'node:url';
import { NativeConnection, Worker } from '@temporalio/worker';
import * as activities from './activities.ts';

const worker = await Worker.create({
  connection: await NativeConnection.connect({ address: process.env.TEMPORAL_ADDRESS ?? 'localhost:7233' }),
  taskQueue: 'answers',
  workflowsPath: fileURLToPath(new URL('workflows.ts', import.meta.url)),
  activities,
});
await worker.run();
