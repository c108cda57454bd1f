// Setup of the projects that start servers: bundles the server once per run.
import { bundleServer } from '../../scripts/lib/processes/server-bundle.ts';

/** Vitest calls it before the first file. */
export async function setup(): Promise<void> {
  await bundleServer();
}
