// A project with retention settings, items with complete lifecycles, and a movable time.
import { beforeEach } from 'vitest';
import type { ProjectSettings } from '@countersign/shared/settings';
import { jsonText } from '@countersign/shared/json/json';
import { Project } from '../../../src/db/entities/project.ts';
import type { Fault } from '../../../src/invariants/check.ts';
import { checksOf, reader } from '../../../src/invariants/invariants.ts';
import { presentDeliveryDetail } from '../../../src/presenters/delivery.ts';
import { presentItem, presentPublicItem } from '../../../src/presenters/item.ts';
import { changeSettings } from '../../../src/usecases/projects/change-settings.ts';
import { excludeLearning } from '../../../src/usecases/learnings/change-learnings.ts';
import { readDelivery } from '../../../src/usecases/webhooks/read-delivery.ts';
import { readItem, readPublicItem } from '../../../src/usecases/items/read-item.ts';
import type { SubmitRequest } from '../../../src/usecases/items/submit.ts';
import { createRetentionJob } from '../../../src/worker/retention.ts';
import { finalizeOnce } from '../../../src/worker/finalize.ts';
import { relayAll } from '../analytics/rollup-checks.ts';
import { makeDue, sendAll } from '../webhooks/pending-deliveries.ts';
import { useReplayFixture } from '../webhooks/replay-fixture.ts';
import { anItem, review, type ProjectFixture } from '../support/project-fixture.ts';
import type { ServicesEnvironment } from '../support/test-services.ts';
import { passTime } from '../support/deadline-clock.ts';

export const DAY_MS = 24 * 60 * 60_000;

type Days = Pick<
  ProjectSettings,
  'retention_payload_days' | 'retention_attempt_days' | 'retention_item_days' | 'audit_rate'
>;

/** Sets the retention periods, as owner. */
export async function setRetention(
  testEnv: ServicesEnvironment,
  { owner, projectId }: ProjectFixture,
  days: Partial<Days>,
): Promise<void> {
  const { settingsVersion } = await testEnv.services.db.read((em) => em.findOneOrFail(Project, { id: projectId }));
  await changeSettings(testEnv.services, owner, { projectId, settingsVersion, changes: days });
}

/** Makes everything due final, sequenced, counted and sent. */
export async function settle(testEnv: ServicesEnvironment): Promise<void> {
  while ((await finalizeOnce(testEnv.services))?.again === true);
  await relayAll(testEnv);
  await makeDue(testEnv);
  await sendAll(testEnv.services);
  await relayAll(testEnv);
}

/** Runs the worker until nothing is left to delete. */
export async function runRetention(testEnv: ServicesEnvironment, batchSize?: number): Promise<void> {
  const retentionJob = createRetentionJob(testEnv.services);
  while ((await retentionJob.runOnce(batchSize)).again === true);
}

/** Every violation in the database. */
export async function faultsOf(testEnv: ServicesEnvironment): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (const { run } of checksOf(testEnv.orm))
    await run(
      reader(testEnv.orm),
      (fault) => faults.push(fault),
      () => undefined,
    );
  return faults;
}

/** The tables with this text in any column. */
export async function tablesContaining(testEnv: ServicesEnvironment, text: string): Promise<string[]> {
  const tables = await testEnv.sql<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = current_schema() order by 1`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const [row] = await testEnv.sql<{ n: number }>(
      `select count(*)::int as n from "${name}" t where strpos(t::text, ?) > 0`,
      [text],
    );
    if ((row?.n ?? 0) > 0) found.push(name);
  }
  return found;
}

/** Everything the API still shows of an item, by its id. */
function itemReaders(testEnv: ServicesEnvironment, now: { fixture: ProjectFixture }) {
  const deliveryOf = async (itemId: string) => {
    const [row] = await testEnv.sql<{ id: string }>('select id from delivery where item_id = ?', [itemId]);
    if (row === undefined) throw new Error('There is no delivery of it.');
    return row.id;
  };
  return {
    deliveryOf,
    detailOf: async (itemId: string) =>
      presentDeliveryDetail(await readDelivery(testEnv.services, now.fixture.supervisor, await deliveryOf(itemId))),
    publicOf: async (id: string) => {
      const { item, decision } = await readPublicItem(testEnv.services, now.fixture.pipeline, id);
      return JSON.parse(jsonText(presentPublicItem(item, decision))) as Record<string, unknown>;
    },
    supervisorViewOf: async (id: string) => {
      const { role, ...view } = await readItem(testEnv.services, now.fixture.supervisor, id);
      return presentItem(view, { userId: now.fixture.supervisor.userId, role });
    },
    learningOf: async (itemId: string) =>
      (await testEnv.sql<{ id: string }>('select id from learning where item_id = ?', [itemId]))[0]?.id,
    gone: async (id: string) => (await testEnv.sql('select 1 from item where id = ?', [id])).length === 0,
  };
}

/** A project with a receiver, new for each test, and items whose every text has a unique mark. */
export function useRetentionFixture() {
  const { testEnv, now } = useReplayFixture();
  const readers = itemReaders(testEnv, now);
  let test = 0;
  beforeEach(() => {
    test += 1;
  });
  const mark = (what: string) => `kept-mark-${test}-${what}`;
  const json = (value: unknown) => ({ value, raw: JSON.stringify(value) });

  const submitted = (given: Pick<Partial<SubmitRequest>, 'confidence' | 'deadline'> = {}) =>
    anItem(testEnv.services, now.fixture, {
      input: json({ question: mark('input') }),
      suggestion: json(mark('suggestion')),
      metadata: { value: { m: mark('metadata') }, raw: JSON.stringify({ m: mark('metadata') }) },
      ...given,
    });

  /** An item that was decided and delivered. */
  const decidedAndSent = async (action: 'approve' | 'reject' | 'edit' = 'approve'): Promise<string> => {
    const { id } = await submitted();
    const output = action === 'edit' ? json(mark('output')) : null;
    await review(testEnv.services, now.fixture.anna, { itemId: id, action, output, note: mark('note') });
    await settle(testEnv);
    return id;
  };

  /** Excludes its learning, or includes it again. */
  const setExcluded = async (itemId: string, excluded = true): Promise<void> => {
    const learningId = (await readers.learningOf(itemId)) ?? '';
    await excludeLearning(testEnv.services, now.fixture.owner, {
      projectId: now.fixture.projectId,
      learningId,
      excluded,
    });
    await settle(testEnv);
  };

  const pass = async (days: number): Promise<void> => {
    await passTime(testEnv, days * DAY_MS);
    await runRetention(testEnv);
  };
  const days = (given: Partial<Days>) => setRetention(testEnv, now.fixture, given);

  return { testEnv, now, ...readers, mark, submitted, decidedAndSent, setExcluded, pass, days };
}
