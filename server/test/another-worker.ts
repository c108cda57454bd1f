// One more worker for a while: what workers do now and then only, they do at once when they start.
import { startServer } from './server-process.ts';
import type { SharedTestEnvironment } from './test-environment.ts';

/** Starts another worker beside the processes of a world, and stops it in order once `seen` resolves. */
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
