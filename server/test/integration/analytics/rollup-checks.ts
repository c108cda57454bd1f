// Compares the rollups with the event log and the tables.
import { expect } from 'vitest';
import { recount } from '../../../src/analytics/recount.ts';
import type { Measure } from '../../../src/domain/analytics/rollup.ts';
import { countOnce } from '../../../src/worker/count-rollups.ts';
import { relayOnce } from '../../../src/worker/relay.ts';
import type { ServicesEnvironment } from '../support/test-services.ts';

/** Sequences and counts until nothing is left. */
export async function relayAll(testEnv: ServicesEnvironment): Promise<void> {
  while ((await relayOnce(testEnv.services, testEnv.signals)).again === true);
  while ((await countOnce(testEnv.services))?.again === true);
}

/** Compares the rollups with a recount, as `npm run rollups -- check` does. */
export async function recountOf(testEnv: ServicesEnvironment, projectId: string) {
  const result = await recount(testEnv.orm, projectId);
  if (result === null) throw new Error(`There is no project ${projectId}.`);
  return result;
}

/** Checks I9. */
export async function expectCounted(testEnv: ServicesEnvironment, projectId: string): Promise<void> {
  const { differences, counted, head } = await recountOf(testEnv, projectId);
  expect(differences, 'I9').toEqual([]);
  expect(counted, 'I9: to the end').toBe(head);
}

/** The sums of one measure over all days, by key, without zeros. */
export async function sumsOf(
  testEnv: ServicesEnvironment,
  projectId: string,
  measure: Measure,
): Promise<Record<string, number>> {
  const rows = await testEnv.sql<{ key: string; n: number }>(
    `select key, sum(n)::int as n from rollup where project_id = ? and measure = ? and grain = 'day'
     group by key having sum(n) <> 0 order by key`,
    [projectId, measure],
  );
  return Object.fromEntries(rows.map(({ key, n }) => [key, n]));
}
