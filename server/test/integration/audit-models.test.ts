// What it costs to find the newest model that is audited, however many names a pipeline makes up (AU6).
import { beforeEach, expect, it } from 'vitest';
import { NEWEST_MODEL } from '../../src/db/audit-span.ts';
import { MOST_AUDITS } from '../../src/db/audit-rows.ts';
import { rawQuery } from '../../src/db/raw-query.ts';
import { auditedScene } from './auditing.ts';
import { anItem, type Scene } from './scene.ts';
import { useServices } from './services.ts';

const world = useServices();
let scene: Scene;
beforeEach(async () => {
  scene = await auditedScene(world);
});

/** So many audits, one a second up to now, of so many models. */
async function audited(count: number, model: string): Promise<void> {
  await world.sql(
    `insert into item (id, project_id, status, input, suggestion, confidence, risk_flags, preview, rule, auto_threshold, review_threshold,
       matched_flags, settings_version, version, audit, model, created_at, due_at)
     select gen_random_uuid(), project_id, status, input, suggestion, confidence, '{}', preview, rule, auto_threshold, review_threshold,
       '{}', 1, 1, true, ${model}, created_at - n * interval '1 second', due_at
     from (select * from item where project_id = ? limit 1) i, generate_series(1, ?) n`,
    [scene.projectId, count],
  );
}

interface Plan {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

it.each([
  ['every second audit has a name of its own', `case when n <= ${MOST_AUDITS} and n % 2 = 0 then 'build-' || n end`],
  ['hundreds of names are old', `'build-' || n % 700`],
  ['there is one', `'m-1'`],
])('AU6: reads no more audits than count where %s, whatever came before', async (_, model) => {
  const { id } = await anItem(world.services, scene, { confidence: 0.96 });
  await audited(43_000, model);
  await world.sql('vacuum analyze item');
  const [item] = await world.sql<{ at: string | Date }>('select created_at as at from item where id = ?', [id]);
  const to = new Date(new Date(item?.at ?? 0).getTime() + 1);
  const from = new Date(to.getTime() - (MOST_AUDITS - 1) * 1000);
  const [row] = await world.services.db.read((em) =>
    rawQuery<{ 'QUERY PLAN': [{ Plan: Plan }] }>(em, `explain (analyze, format json) ${NEWEST_MODEL}`, [
      scene.projectId,
      from,
      to,
    ]),
  );
  if (row === undefined) throw new Error('There is a plan.');
  for (const node of nodesOf(row['QUERY PLAN'][0].Plan)) {
    const read = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
    expect(read).toBeLessThanOrEqual(MOST_AUDITS);
  }
});
