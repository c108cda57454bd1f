// Setup of the projects that start servers: bundles the server once per run.
import type { TestProject } from 'vitest/node';
import { bundleServer } from '../../scripts/lib/processes/server-bundle.ts';

/** Vitest calls it before the first file. */
export async function setup({ provide }: TestProject): Promise<void> {
  provide('serverBundle', await bundleServer());
}
