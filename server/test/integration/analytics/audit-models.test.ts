// Tests the cost of finding the newest audited model, however many model names a pipeline sends (AU6).
import { beforeEach, expect, it } from 'vitest';
import { NEWEST_MODEL } from '../../../src/db/audits/audit-span.ts';
import { MOST_AUDITS } from '../../../src/db/audits/audit-rows.ts';
import { createAuditFixture } from './audit-fixture.ts';
import { anItem, type ProjectFixture } from '../support/project-fixture.ts';
import { nodesOf, planOf, rowsVisited } from '../support/query-plan.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
let fixture: ProjectFixture;
beforeEach(async () => {
  fixture = await createAuditFixture(testEnv);
});

/** Inserts this many audits, one per second up to now, of this many models. */
async function audited(count: number, model: string): Promise<void> {
  await testEnv.sql(
    `insert into item (id, project_id, status, input, suggestion, confidence, risk_flags, preview, rule, auto_threshold, review_threshold,
       matched_flags, settings_version, version, audit, model, created_at, due_at)
     select gen_random_uuid(), project_id, status, input, suggestion, confidence, '{}', preview, rule, auto_threshold, review_threshold,
       '{}', 1, 1, true, ${model}, created_at - n * interval '1 second', due_at
     from (select * from item where project_id = ? limit 1) i, generate_series(1, ?) n`,
    [fixture.projectId, count],
  );
}

it.each([
  [
    'every second audit has a different model name',
    `case when n <= ${MOST_AUDITS} and n % 2 = 0 then 'build-' || n end`,
  ],
  ['hundreds of names are old', `'build-' || n % 700`],
  ['there is one', `'m-1'`],
])('AU6: reads no more audits than count where %s, with any history before', async (_, model) => {
  const { id } = await anItem(testEnv.services, fixture, { confidence: 0.96 });
  await audited(43_000, model);
  await testEnv.sql('vacuum analyze item');
  const [item] = await testEnv.sql<{ at: string | Date }>('select created_at as at from item where id = ?', [id]);
  const to = new Date(new Date(item?.at ?? 0).getTime() + 1);
  const from = new Date(to.getTime() - (MOST_AUDITS - 1) * 1000);
  const plan = await planOf(testEnv, NEWEST_MODEL, [fixture.projectId, from, to]);
  for (const node of nodesOf(plan)) expect(rowsVisited(node)).toBeLessThanOrEqual(MOST_AUDITS);
});
