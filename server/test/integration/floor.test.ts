// The floor as the database tells it: who holds what and since when, the pace, and what a stop would send to people (FL1 to FL4).
import { beforeEach, describe, expect, it } from 'vitest';
import { claim } from '../../src/usecases/claim.ts';
import { readFloor } from '../../src/usecases/queries/read-floor.ts';
import { releaseClaim } from '../../src/usecases/release-claim.ts';
import { renewClaim } from '../../src/usecases/renew-claim.ts';
import { takeOver } from '../../src/usecases/take-over.ts';
import { anItem, aPerson, aScene, items, review, type Scene } from './scene.ts';
import { useServices } from './services.ts';

const world = useServices();
let scene: Scene;

beforeEach(async () => {
  scene = await aScene(world.services);
});

const MINUTE = 60_000;
const floor = (who = scene.supervisor) => readFloor(world.services, who, scene.projectId);
const seat = async (userId: string) => {
  const found = (await floor()).people.find((person) => person.user_id === userId);
  if (found === undefined) throw new Error('They are not on the floor.');
  return found;
};

describe('the floor', () => {
  it('is for supervisors and owners', async () => {
    await floor(scene.owner);
    await expect(floor(scene.anna)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(floor(await aPerson(world.services))).rejects.toMatchObject({ code: 'not_found' });
  });

  it('of a new project says what it does not know', async () => {
    expect(await floor()).toMatchObject({
      waiting: { queued: 0, escalated: 0 },
      flow: [
        { minutes: 15, arrived: 0, decided: 0 },
        { minutes: 60, arrived: 0, decided: 0 },
      ],
      drain: { word: 'empty', seconds: 0, minutes: null },
      median: { seconds: null, n: 0 },
      stuck_after_seconds: 600,
      idle_after_seconds: 300,
      more_held: 0,
    });
    const people = (await floor()).people.map(({ name, holding, last_decided_at: last }) => [name, holding, last]);
    expect(people).toEqual(['Anna', 'Ben', 'Olga', 'Sam'].map((name) => [name, [], null]));
  });

  it('FL2: an item is held since it was claimed: a renewal changes that not, a take-over and a new claim do', async () => {
    const [item, other] = await items(world.services, scene, 2);
    if (!item || !other) throw new Error('Two were asked for.');
    const start = world.clock.now().getTime();
    const { fence } = await claim(world.services, scene.anna, item.id);
    world.clock.pass(MINUTE);
    await claim(world.services, scene.anna, other.id);
    await renewClaim(world.services, scene.anna, { itemId: item.id, fence });
    const [first, second] = (await seat(scene.anna.userId)).holding;
    expect([first?.item_id, second?.item_id]).toEqual([item.id, other.id]);
    expect(first).toMatchObject({ preview: item.preview, status: 'queued' });
    expect(Date.parse(first?.since ?? '') - start).toBeLessThan(MINUTE / 2);
    expect(Date.parse(second?.since ?? '') - start).toBeGreaterThanOrEqual(MINUTE);

    world.clock.pass(MINUTE);
    const { fence: taken } = await takeOver(world.services, scene.supervisor, item.id);
    expect((await seat(scene.anna.userId)).holding.map(({ item_id: id }) => id)).toEqual([other.id]);
    const [theirs] = (await seat(scene.supervisor.userId)).holding;
    expect(Date.parse(theirs?.since ?? '') - start).toBeGreaterThanOrEqual(2 * MINUTE);
    await releaseClaim(world.services, scene.supervisor, { itemId: item.id, fence: taken });
    expect((await seat(scene.supervisor.userId)).holding).toEqual([]);
  });

  it('FL1, FL4: decisions tell the pace, whose they are, and when nothing waits any more', async () => {
    const made = await items(world.services, scene, 8);
    for (const [n, { id }] of made.slice(0, 6).entries()) {
      const who = n < 2 ? scene.ben : scene.anna;
      const { fence } = await claim(world.services, who, id);
      world.clock.pass(n < 2 ? 20_000 : 10_000);
      await review(world.services, who, { itemId: id, action: 'approve', fence });
    }
    const seen = await floor();
    expect(seen).toMatchObject({
      waiting: { queued: 2, escalated: 0 },
      flow: [
        { minutes: 15, arrived: 8, decided: 6 },
        { minutes: 60, arrived: 8, decided: 6 },
      ],
      drain: { word: 'growing', seconds: null, minutes: 15 },
      median: { n: 6 },
    });
    expect(Math.round(seen.median.seconds ?? 0)).toBe(10);
    const [anna, ben] = seen.people;
    expect([anna?.decided_last_hour, ben?.decided_last_hour]).toEqual([4, 2]);
    expect([anna?.median_seconds, ben?.median_seconds].map((each) => Math.round(each ?? 0))).toEqual([10, 20]);
    expect(Date.parse(anna?.last_decided_at ?? '')).toBeGreaterThan(Date.parse(ben?.last_decided_at ?? ''));

    await world.sql(`update item set created_at = created_at - interval '20 minutes' where project_id = ?`, [
      scene.projectId,
    ]);
    const { drain } = await floor();
    expect(drain).toMatchObject({ word: 'draining', minutes: 15 });
    // Two wait, six went in fifteen minutes and the begun one.
    expect(Math.floor((drain.seconds ?? 0) / 20)).toBe(15);
    world.clock.pass(61 * MINUTE);
    expect((await floor()).drain).toEqual({ word: 'too_few', seconds: null, minutes: null });
  });

  it('RT7: says what routing did alone in the last hour; what it drew for an audit came to people', async () => {
    const all = await aScene(world.services, { audit_rate: 1 });
    for (const place of [scene, all]) {
      await anItem(world.services, place, { confidence: 1 });
      await anItem(world.services, place, { confidence: 0 });
      await anItem(world.services, place, { confidence: 0.8 });
    }
    const audited = await readFloor(world.services, all.owner, all.projectId);
    expect((await floor()).alone_last_hour).toEqual({ arrived: 3, approved: 1, rejected: 1 });
    expect((await floor()).flow[0]).toMatchObject({ arrived: 1 });
    expect(audited.alone_last_hour).toEqual({ arrived: 3, approved: 0, rejected: 1 });
    expect(audited.flow[0]).toMatchObject({ arrived: 2 });
    world.clock.pass(61 * MINUTE);
    expect((await floor()).alone_last_hour).toEqual({ arrived: 0, approved: 0, rejected: 0 });
  });
});
