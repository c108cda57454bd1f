// A project whose owner says for how long things are kept, with items that lived through everything, and time that passes.
import { beforeEach } from 'vitest';
import type { ProjectSettings } from '@countersign/shared/api/projects';
import { jsonText } from '@countersign/shared/json';
import { Project } from '../../src/db/entities/project.ts';
import type { Fault } from '../../src/invariants/check.ts';
import { checksOf, reader } from '../../src/invariants/invariants.ts';
import { presentDeliveryDetail } from '../../src/presenters/delivery.ts';
import { presentItem, presentPublicItem } from '../../src/presenters/item.ts';
import { changeSettings } from '../../src/usecases/change-settings.ts';
import { excludeLearning } from '../../src/usecases/exclude-learning.ts';
import { readDelivery } from '../../src/usecases/queries/read-delivery.ts';
import { readItem, readPublicItem } from '../../src/usecases/queries/read-item.ts';
import { createKeeper } from '../../src/worker/keep.ts';
import { finalizeOnce } from '../../src/worker/finalize.ts';
import { relayAll } from './counted.ts';
import { makeDue, sendAll } from './due.ts';
import { useReplaying } from './replaying.ts';
import { anItem, review, type Scene } from './scene.ts';
import type { Opened } from './services.ts';

export const DAY_MS = 24 * 60 * 60_000;

type Days = Pick<ProjectSettings, 'keep_payloads_days' | 'keep_attempts_days' | 'keep_ledger_days' | 'audit_rate'>;

/** The owner says for how long. */
export async function say(world: Opened, { owner, projectId }: Scene, days: Partial<Days>): Promise<void> {
  const { settingsVersion } = await world.services.db.read((em) => em.findOneOrFail(Project, { id: projectId }));
  await changeSettings(world.services, owner, { projectId, settingsVersion, changes: days });
}

/** Everything that is due is final, numbered, counted and sent. */
export async function settle(world: Opened): Promise<void> {
  while ((await finalizeOnce(world.services))?.again === true);
  await relayAll(world);
  await makeDue(world);
  await sendAll(world.services);
  await relayAll(world);
}

/** The worker, until nothing is left to take away. */
export async function keepAll(world: Opened, portion?: number): Promise<void> {
  const keeper = createKeeper(world.services);
  while ((await keeper.runOnce(portion)).again === true);
}

/** Everything that is wrong in the database. */
export async function faultsOf(world: Opened): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (const { run } of checksOf(world.orm))
    await run(
      reader(world.orm),
      (fault) => faults.push(fault),
      () => undefined,
    );
  return faults;
}

/** The tables in which this text stands, in whatever column. */
export async function wheresOf(world: Opened, text: string): Promise<string[]> {
  const tables = await world.sql<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = current_schema() order by 1`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const [row] = await world.sql<{ n: number }>(
      `select count(*)::int as n from "${name}" t where strpos(t::text, ?) > 0`,
      [text],
    );
    if ((row?.n ?? 0) > 0) found.push(name);
  }
  return found;
}

/** Whoever looks at what is left of an item, by its id. */
function lookers(world: Opened, now: { scene: Scene }) {
  const deliveryOf = async (itemId: string) => {
    const [row] = await world.sql<{ id: string }>('select id from delivery where item_id = ?', [itemId]);
    if (row === undefined) throw new Error('There is no delivery of it.');
    return row.id;
  };
  return {
    deliveryOf,
    detailOf: async (itemId: string) =>
      presentDeliveryDetail(await readDelivery(world.services, now.scene.supervisor, await deliveryOf(itemId))),
    publicOf: async (id: string) => {
      const { item, decision } = await readPublicItem(world.services, now.scene.pipeline, id);
      return JSON.parse(jsonText(presentPublicItem(item, decision))) as Record<string, unknown>;
    },
    seenBy: async (id: string) => {
      const { role, ...view } = await readItem(world.services, now.scene.supervisor, id);
      return presentItem(view, { userId: now.scene.supervisor.userId, role });
    },
    learningOf: async (itemId: string) =>
      (await world.sql<{ id: string }>('select id from learning where item_id = ?', [itemId]))[0]?.id,
    gone: async (id: string) => (await world.sql('select 1 from item where id = ?', [id])).length === 0,
  };
}

/** A scene with a receiver, anew for each test, and items whose every text bears a mark that stands nowhere else. */
export function useKeeping() {
  const { world, now } = useReplaying();
  const look = lookers(world, now);
  let test = 0;
  beforeEach(() => {
    test += 1;
  });
  const mark = (what: string) => `kept-mark-${test}-${what}`;
  const json = (value: unknown) => ({ value, raw: JSON.stringify(value) });

  const submitted = (given: { confidence?: number } = {}) =>
    anItem(world.services, now.scene, {
      input: json({ question: mark('input') }),
      suggestion: json(mark('suggestion')),
      metadata: { value: { m: mark('metadata') }, raw: JSON.stringify({ m: mark('metadata') }) },
      ...given,
    });

  /** An item that was decided and told. */
  const told = async (action: 'approve' | 'reject' | 'edit' = 'approve'): Promise<string> => {
    const { id } = await submitted();
    const output = action === 'edit' ? json(mark('output')) : null;
    await review(world.services, now.scene.anna, { itemId: id, action, output, note: mark('note') });
    await settle(world);
    return id;
  };

  /** Its learning counts no more, or counts again. */
  const leaveOut = async (itemId: string, excluded = true): Promise<void> => {
    const learningId = (await look.learningOf(itemId)) ?? '';
    await excludeLearning(world.services, now.scene.owner, { projectId: now.scene.projectId, learningId, excluded });
    await settle(world);
  };

  const pass = async (days: number): Promise<void> => {
    world.clock.pass(days * DAY_MS);
    await keepAll(world);
  };
  const days = (given: Partial<Days>) => say(world, now.scene, given);

  return { world, now, ...look, mark, submitted, told, leaveOut, pass, days };
}
