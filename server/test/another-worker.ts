// Starts a temporary extra worker: periodic jobs of a worker run at once when it starts.
import { startServer } from './server-process.ts';
import type { SharedTestEnvironment } from './test-environment.ts';

/** Starts another worker beside the processes of an environment, and stops it once `seen` resolves. */
export async function withAnotherWorker(
  testEnv: Pick<SharedTestEnvironment, 'env'>,
  seen: () => Promise<unknown>,
): Promise<void> {
  const worker = await startServer({ ...testEnv.env, ROLES: 'worker' }, () => undefined);
  try {
    await seen();
  } finally {
    await worker.stop();
  }
}
