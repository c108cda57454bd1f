// The intake: what arrives together is committed together, and nobody suffers for a neighbour.
import { beforeAll, describe, expect, it } from 'vitest';
import { createDatabase } from '../../src/db/database.ts';
import { openOrm } from '../../src/db/orm.ts';
import { createIntake, type Parcel } from '../../src/usecases/intake.ts';
import { submitBatch } from '../../src/usecases/submit.ts';
import { holding, keyBeingTaken } from './holding.ts';
import { ledgerOf } from './looking.ts';
import { anItem, aScene, aSubmission, type Scene } from './scene.ts';
import { useServices } from './services.ts';
import { nowhere } from '../../../scripts/lib/postgres-client.ts';

const world = useServices();
let scene: Scene;

beforeAll(async () => {
  scene = await aScene(world.services);
});

const DIGEST = 'a'.repeat(64);
/** Text that the database refuses while `refusingText` is at work. */
const POISON = 'poison';

function aParcel(of: Scene, overrides: Partial<Parcel> & { text?: string; key?: string } = {}): Parcel {
  const { text = 'Question', key, ...rest } = overrides;
  const { idempotency: _none, ...item } = aSubmission({ input: { value: text, raw: JSON.stringify(text) } });
  return {
    projectId: of.projectId,
    actor: { kind: 'api_key', id: of.pipeline.keyId, name: of.pipeline.name },
    items: [item],
    once: key === undefined ? null : { operation: 'submit', key, digest: DIGEST },
    ...rest,
  };
}

/** An intake whose transactions are counted. */
function countingIntake() {
  const { services } = world;
  let transactions = 0;
  const { write } = services.db;
  const db = { ...services.db, write: ((work) => ((transactions += 1), write(work))) as typeof write };
  const intake = createIntake({ ...services, db });
  return { submit: intake.submit, transactions: () => transactions };
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);
const idsOf = async (place: Scene) =>
  (await world.sql<{ id: string }>('select id from item where project_id = ?', [place.projectId])).map(({ id }) => id);
const factsOf = async (place: Scene) =>
  (await ledgerOf(world, place.projectId)).filter(({ item_id }) => item_id !== null);
const outcomesOf = async (submissions: ReturnType<typeof world.services.intake.submit>[]) =>
  (await Promise.allSettled(submissions)).map((one) =>
    one.status === 'fulfilled' ? 'stored' : ((one.reason as { code?: string }).code ?? 'failed'),
  );

/** While `work` runs, the database refuses every item with that text. */
async function refusingText(work: () => Promise<void>): Promise<void> {
  await world.sql(`alter table item add constraint poisoned check (preview <> '${POISON}')`);
  await work().finally(() => world.sql('alter table item drop constraint poisoned'));
}

describe('200 submissions at once', () => {
  it('take few transactions, and every one is stored once', async () => {
    const place = await aScene(world.services);
    const { submit, transactions } = countingIntake();
    const stored = await Promise.all(numbers(200).map((n) => submit(aParcel(place, { text: `Question ${n}` }))));
    const ids = stored.flatMap(({ results }) => results.map(({ item }) => item.id));
    expect(new Set(ids).size).toBe(200);
    expect((await idsOf(place)).sort()).toEqual(ids.sort());
    expect(transactions()).toBeLessThanOrEqual(4);
  });

  it('take more of them when each brings hundreds of items: no commit grows without end', async () => {
    const place = await aScene(world.services);
    const { submit, transactions } = countingIntake();
    const parcel = aParcel(place);
    const items = numbers(500).flatMap(() => parcel.items);
    await Promise.all(numbers(20).map(() => submit({ ...parcel, items })));
    expect(await idsOf(place)).toHaveLength(10_000);
    // Ten thousand rows weigh more than twice what one group may.
    expect(transactions()).toBeGreaterThanOrEqual(3);
  });

  it('I6: tell one fact each, in the order in which they came', async () => {
    const place = await aScene(world.services);
    const stored = await Promise.all(numbers(200).map(() => world.services.intake.submit(aParcel(place))));
    const ids = stored.flatMap(({ results }) => results.map(({ item }) => item.id));
    const facts = await factsOf(place);
    expect(facts.map(({ type, item_id }) => [type, item_id])).toEqual(ids.map((id) => ['item.queued', id]));
    expect(ids.toSorted()).toEqual(ids);
  });

  it('I2: nobody is answered before the commit', async () => {
    const place = await aScene(world.services);
    const { write } = world.services.db;
    const asked = Promise.withResolvers<undefined>();
    const released = Promise.withResolvers<undefined>();
    const slow: typeof write = async (work) => {
      asked.resolve(undefined);
      await released.promise;
      return write(work);
    };
    const intake = createIntake({ ...world.services, db: { ...world.services.db, write: slow } });
    let answered = 0;
    const submissions = numbers(10).map(() => intake.submit(aParcel(place)).then(() => (answered += 1)));
    await asked.promise;
    await anItem(world.services, scene);
    expect(answered).toBe(0);
    expect(await idsOf(place)).toEqual([]);
    released.resolve(undefined);
    await Promise.all(submissions);
    expect(await idsOf(place)).toHaveLength(10);
  });
});

describe('one bad neighbour', () => {
  it('that the database refuses fails alone', async () => {
    const place = await aScene(world.services);
    await refusingText(async () => {
      const texts = numbers(20).map((n) => (n === 7 ? POISON : `Question ${n}`));
      const outcomes = await outcomesOf(texts.map((text) => world.services.intake.submit(aParcel(place, { text }))));
      expect(outcomes.filter((outcome) => outcome === 'stored')).toHaveLength(19);
      expect(outcomes[7]).toBe('23514');
    });
    expect(await idsOf(place)).toHaveLength(19);
    expect(await factsOf(place)).toHaveLength(19);
  });

  it('a batch that the database refuses fails whole, and its key is free again (I2)', async () => {
    const place = await aScene(world.services);
    const { input: _, ...rest } = aSubmission();
    const itemOf = (text: string) => ({ ...rest, input: { value: text, raw: JSON.stringify(text) } });
    const idempotency = { key: 'night', bodySha256: DIGEST };
    const send = (texts: string[]) =>
      submitBatch(world.services, place.pipeline, { items: texts.map(itemOf), idempotency });
    await refusingText(async () => {
      await expect(send(['a', POISON, 'c'])).rejects.toThrow();
      expect(await idsOf(place)).toEqual([]);
    });
    expect(await send(['a', POISON, 'c'])).toMatchObject({ replayed: false });
    expect(await send(['a', POISON, 'c'])).toMatchObject({ replayed: true });
    expect(await idsOf(place)).toHaveLength(3);
  });

  it('of an archived project is refused alone', async () => {
    const [place, archived] = [await aScene(world.services), await aScene(world.services)];
    await world.sql('update project set archived_at = now() where id = ?', [archived.projectId]);
    const parcels = numbers(9).map((n) => aParcel(n % 3 === 1 ? archived : place, { key: `k${n}` }));
    const outcomes = await outcomesOf(parcels.map((parcel) => world.services.intake.submit(parcel)));
    expect(outcomes).toEqual(numbers(9).map((n) => (n % 3 === 1 ? 'forbidden' : 'stored')));
    expect([await idsOf(place), await idsOf(archived)].map((ids) => ids.length)).toEqual([6, 0]);
    expect(await world.sql('select 1 from idempotency_key where project_id = ?', [archived.projectId])).toEqual([]);
  });

  it('whose key is in flight elsewhere holds nobody up', async () => {
    const place = await aScene(world.services);
    const { id } = await anItem(world.services, place);
    const rival = { projectId: place.projectId, operation: 'submit', key: 'busy' };
    const first = keyBeingTaken(rival, { itemId: id, bodySha256: DIGEST });
    await holding(world, first, async (commit) => {
      let isAnswered = false;
      const { submit } = world.services.intake;
      const waiting = submit(aParcel(place, { key: 'busy' })).finally(() => (isAnswered = true));
      const neighbours = await Promise.all(numbers(20).map((n) => submit(aParcel(place, { key: `free ${n}` }))));
      expect(neighbours.every(({ replayed }) => !replayed)).toBe(true);
      expect(isAnswered).toBe(false);
      await commit();
      expect(await waiting).toMatchObject({ replayed: true, results: [{ item: { id } }] });
    });
    expect(await idsOf(place)).toHaveLength(21);
  });
});

describe('twins in one group', () => {
  it('I2: make one item; whoever came with another body is refused', async () => {
    const place = await aScene(world.services);
    const { submit, transactions } = countingIntake();
    const other = { operation: 'submit' as const, key: 'twin', digest: 'b'.repeat(64) };
    const stored = submit(aParcel(place, { key: 'twin' }));
    const twins = [submit(aParcel(place, { key: 'twin' })), submit(aParcel(place, { once: other }))];
    expect(await outcomesOf(twins)).toEqual(['stored', 'idempotency_key_reused']);
    expect(transactions()).toBe(1);
    expect(await twins[0]).toEqual({ ...(await stored), replayed: true });
    expect(await idsOf(place)).toHaveLength(1);
  });

  it('a key says nothing beyond its project and its operation', async () => {
    const [place, other] = [await aScene(world.services), await aScene(world.services)];
    const batch = { operation: 'batch' as const, key: 'same', digest: DIGEST };
    const parcels = [aParcel(place, { key: 'same' }), aParcel(other, { key: 'same' }), aParcel(place, { once: batch })];
    const stored = await Promise.all(parcels.map((parcel) => world.services.intake.submit(parcel)));
    expect(stored.map(({ replayed }) => replayed)).toEqual([false, false, false]);
    expect([await idsOf(place), await idsOf(other)].map((ids) => ids.length)).toEqual([2, 1]);
  });
});

describe('a database that cannot be reached', () => {
  it('refuses the whole group at once, each by name', async () => {
    const orm = await openOrm({ connection: nowhere(), poolSize: 2 });
    const intake = createIntake({ ...world.services, db: createDatabase(orm, world.services) });
    const outcomes = await outcomesOf(numbers(50).map(() => intake.submit(aParcel(scene))));
    expect(new Set(outcomes)).toEqual(new Set(['unavailable']));
    await orm.close();
  });
});
