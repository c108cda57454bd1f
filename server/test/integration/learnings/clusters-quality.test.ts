// Measures how well clusters group reasons with the same meaning (CT1), on reasons labelled by hand.
import { expect, it } from 'vitest';
import { noteReason } from '../../../src/db/learnings/assign-cluster.ts';
import { LABELLED } from '../../fixtures/labelled-reasons.ts';
import { assignClustersOnce } from '../../../src/worker/assign-clusters.ts';
import { createProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();

it('CT1: purity and recall on labelled reasons reach the documented values', async () => {
  const labelled = Object.entries(LABELLED).flatMap(([meaning, all]) => all.map((reason) => ({ meaning, reason })));
  const { purity, recall } = await measure((await createProjectFixture(testEnv.services)).projectId, labelled);
  process.stdout.write(
    `${labelled.length} labelled reasons: purity ${purity.toFixed(3)}, recall ${recall.toFixed(3)}\n`,
  );
  expect(labelled.length).toBeGreaterThanOrEqual(200);
  expect(purity).toBeGreaterThanOrEqual(0.95);
  expect(recall).toBeGreaterThanOrEqual(0.85);
});

/**
 * Purity: the share of reasons that share the main meaning of their cluster. Recall: the share of pairs with one meaning that
 * share a cluster. They arrive in a fixed shuffled order.
 */
async function measure(
  projectId: string,
  labelled: { meaning: string; reason: string }[],
): Promise<{ purity: number; recall: number }> {
  const mixed = labelled.map((each, n) => ({ ...each, at: (n * 89) % labelled.length })).sort((a, b) => a.at - b.at);
  for (const { reason } of mixed) {
    await testEnv.services.db.write((tx) => noteReason(testEnv.services, tx, { projectId, reason }));
    await assignClustersOnce(testEnv.services);
    // Stored without a decision: two hundred decisions would take too long.
    await testEnv.sql('update wording set placed_by_hand = true where project_id = ? and not placed_by_hand', [
      projectId,
    ]);
  }
  const rows = await testEnv.sql<{ reason: string; cluster_id: string }>(
    'select reason, cluster_id from wording where project_id = ?',
    [projectId],
  );
  const clusterOf = new Map(rows.map(({ reason, cluster_id }) => [reason, cluster_id]));
  const groups = Map.groupBy(labelled, ({ reason }) => clusterOf.get(reason));
  const most = (group: typeof labelled) =>
    Math.max(...[...Map.groupBy(group, ({ meaning }) => meaning).values()].map((same) => same.length));
  const inMajority = [...groups.values()].reduce((sum, group) => sum + most(group), 0);
  const pairs = labelled.flatMap((a, n) =>
    labelled
      .slice(n + 1)
      .filter((b) => a.meaning === b.meaning)
      .map((b) => [a, b]),
  );
  const sameCluster = pairs.filter(([a, b]) => a && b && clusterOf.get(a.reason) === clusterOf.get(b.reason));
  return { purity: inMajority / labelled.length, recall: sameCluster.length / pairs.length };
}
