// Tests bulk claims of a supervisor (LC5): all items of one project are claimed, or none and the obstacle is named.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimBulk as endpoint, decideItem, readQueueItem } from '@countersign/shared/routes/queue';
import { MAX_CLAIMS, MAX_BULK_CLAIMS } from '@countersign/shared/limits';
import type { Holder } from '../../../src/claims/claim-lock.ts';
import { claim } from '../../../src/usecases/claims/claim.ts';
import { claimNext } from '../../../src/usecases/claims/claim-next.ts';
import { claimBulk } from '../../../src/usecases/claims/claim-bulk.ts';
import { archiveProject } from '../../../src/usecases/projects/lifecycle.ts';
import { releaseClaim } from '../../../src/usecases/claims/end-claim.ts';
import type { MemberActor } from '../../../src/usecases/services.ts';
import { aSubmission, join, openProject } from '../../builders.ts';
import { people, type Person } from '../../client.ts';
import { eventsOf, rowOf, eventTypesOf } from '../support/database-helpers.ts';
import { aPerson, anItem, createProjectFixture, items, review, useProjectFixture } from '../support/project-fixture.ts';
import { serve, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
const fixture = useProjectFixture(testEnv, { claim_lease_seconds: 60 });

const take = (who: MemberActor, itemIds: string[], projectId = fixture.projectId) =>
  claimBulk(testEnv.services, who, { projectId, itemIds });

const someItems = async (count: number, of = fixture) => (await items(testEnv.services, of, count)).map(({ id }) => id);

/** Everything about these items that a claim could have changed. */
async function asTheyAre(ids: string[]): Promise<unknown[]> {
  const locks = testEnv.lock.down ? new Map<string, Holder>() : await testEnv.lock.holders(ids);
  return Promise.all(
    ids.map(async (id) => [await rowOf(testEnv, id), await eventTypesOf(testEnv, id), locks.get(id)?.userId]),
  );
}

/** The claim is refused with this code, and nothing has changed. */
async function expectRefused(who: MemberActor, itemIds: string[], refusal: object): Promise<void> {
  const before = await asTheyAre(itemIds);
  await expect(take(who, itemIds)).rejects.toMatchObject(refusal);
  expect(await asTheyAre(itemIds)).toEqual(before);
}

const at = (place: number, code: string) => ({
  code,
  extras: { errors: [{ pointer: `#/item_ids/${place}`, code, detail: expect.any(String) as string }] },
});

describe('LC5: several items', () => {
  it.each([
    ['with the lock store', false],
    ['without it', true],
  ])('are claimed together, in the requested order, each with a fence, a lease and one event, %s', async (_, down) => {
    testEnv.lock.down = down;
    const ids = (await someItems(5)).toReversed();
    const escalated = (await anItem(testEnv.services, fixture, { riskFlags: ['legal'] })).id;
    const asked = [...ids.slice(0, 2), escalated, ...ids.slice(2)];
    const taken = await take(fixture.supervisor, asked);
    expect(taken.map(({ item }) => item.id)).toEqual(asked);
    const locks = down ? null : await testEnv.lock.holders(asked);
    for (const { item, fence, expiresAt } of taken) {
      expect([fence, item.claimedBy]).toEqual([1, fixture.supervisor.userId]);
      expect(expiresAt.getTime() - Date.now()).toBeGreaterThan(50_000);
      expect(await rowOf(testEnv, item.id)).toMatchObject({ claimed_by: fixture.supervisor.userId, version: 2 });
      const events = await eventsOf(testEnv, item.id);
      expect(events.filter(({ type }) => type === 'item.claimed')).toHaveLength(1);
      expect(events.at(-1)?.data).toMatchObject({ version: 2, expires_at: expiresAt.toISOString() });
      if (locks) expect(locks.get(item.id)).toMatchObject({ userId: fixture.supervisor.userId, fence: 1 });
    }
  });

  it('may be a hundred: LC4 does not refuse them, but counts them', async () => {
    const ids = await someItems(MAX_BULK_CLAIMS);
    expect(await take(fixture.owner, ids)).toHaveLength(MAX_BULK_CLAIMS);
    const { id } = await anItem(testEnv.services, fixture);
    await expect(claim(testEnv.services, fixture.owner, id)).rejects.toMatchObject({ code: 'too_many_claims' });
    await expect(claimNext(testEnv.services, fixture.owner, {})).rejects.toMatchObject({ code: 'too_many_claims' });
    expect(await take(fixture.owner, [id])).toMatchObject([{ fence: 1 }]);
    for (const itemId of [...ids.slice(MAX_CLAIMS - 1), id])
      await releaseClaim(testEnv.services, fixture.owner, { itemId, fence: 1 });
    expect(await claim(testEnv.services, fixture.owner, id)).toMatchObject({ fence: 2 });
  });

  it('items that the person already holds are renewed: the same fence, no event', async () => {
    const ids = await someItems(3);
    await claim(testEnv.services, fixture.supervisor, ids[1] ?? '');
    const taken = await take(fixture.supervisor, ids);
    expect(taken.map(({ fence }) => fence)).toEqual([1, 1, 1]);
    expect(await take(fixture.supervisor, ids)).toMatchObject(taken.map(({ fence }) => ({ fence })));
    for (const id of ids) expect(await eventTypesOf(testEnv, id)).toEqual(['item.queued', 'item.claimed']);
  });

  it('claims renewed in the lock store alone are renewed as well', async () => {
    const ids = await someItems(2);
    await take(fixture.supervisor, ids);
    await testEnv.sql(`update item set claim_expires_at = now() - interval '1 second' where id = ?`, [ids[0]]);
    expect((await take(fixture.supervisor, ids)).map(({ fence }) => fence)).toEqual([1, 1]);
    expect(await rowOf(testEnv, ids[0] ?? '')).toMatchObject({ claim_fence: 1, version: 2 });
  });

  it('by two supervisors at once, in any order, are all claimed by one of them (I4)', async () => {
    for (let round = 0; round < 6; round += 1) {
      const ids = await someItems(8);
      const results = await Promise.allSettled([
        take(fixture.supervisor, ids),
        take(fixture.owner, ids.toReversed()),
        ...ids.map((id) =>
          round % 2 === 0 ? Promise.reject(new Error('nobody')) : claim(testEnv.services, fixture.anna, id),
        ),
      ]);
      const whole = results.slice(0, 2).filter(({ status }) => status === 'fulfilled');
      const rows = await Promise.all(ids.map((id) => rowOf(testEnv, id)));
      const holders = new Set(rows.map(({ claimed_by }) => claimed_by));
      if (round % 2 === 0) expect([whole.length, holders.size]).toEqual([1, 1]);
      else if (whole.length === 0) expect(holders.has(fixture.supervisor.userId)).toBe(false);
      else expect(holders.size).toBe(1);
    }
  });
});

describe('LC5: an obstacle', () => {
  it.each([
    ['with the lock store', false],
    ['without it', true],
  ])('held by another person: nothing is changed, and the holder is named, %s', async (_, down) => {
    testEnv.lock.down = down;
    const ids = await someItems(5);
    const { expiresAt } = await claim(testEnv.services, fixture.anna, ids[3] ?? '');
    const refusal = at(3, 'claim_held');
    const holder = { user_id: fixture.anna.userId, name: 'Anna' };
    await expectRefused(fixture.supervisor, ids, { ...refusal, extras: { ...refusal.extras, holder } });
    const named = await take(fixture.supervisor, ids).catch(
      (error: { extras: { expires_at: string } }) => error.extras,
    );
    const until = Date.parse((named as { expires_at: string }).expires_at);
    expect(Math.abs(until - expiresAt.getTime())).toBeLessThan(20_000);
  });

  it('held by a lease renewed in the lock store, though expired in the database', async () => {
    const ids = await someItems(2);
    await claim(testEnv.services, fixture.anna, ids[1] ?? '');
    await testEnv.sql(`update item set claim_expires_at = now() - interval '1 second' where id = ?`, [ids[1]]);
    await expectRefused(fixture.supervisor, ids, at(1, 'claim_held'));
    await testEnv.lock.flush();
    expect((await take(fixture.supervisor, ids)).map(({ fence }) => fence)).toEqual([1, 2]);
  });

  it('decided, of another project, or unknown: the first is named', async () => {
    const ids = await someItems(4);
    const foreign = (await someItems(1, await createProjectFixture(testEnv.services)))[0] ?? '';
    await review(testEnv.services, fixture.anna, { itemId: ids[2] ?? '', action: 'approve' });
    await claim(testEnv.services, fixture.anna, ids[3] ?? '');
    await expectRefused(fixture.supervisor, ids, at(2, 'already_decided'));
    await expectRefused(fixture.supervisor, ids.toReversed(), at(0, 'claim_held'));
    const [first = '', second = ''] = ids;
    const strangers = [foreign, testEnv.services.ids.uuid()].map((id) =>
      take(fixture.supervisor, [first, second, id]).then(
        () => 'taken',
        (error: unknown) => JSON.stringify(error),
      ),
    );
    const [theirs, nobodys] = await Promise.all(strangers);
    expect(theirs).toBe(nobodys);
    await expectRefused(fixture.supervisor, [first, foreign], at(1, 'not_found'));
  });

  it('an item id that is sent twice is refused at its second place', async () => {
    const [one = '', two = ''] = await someItems(2);
    await expectRefused(fixture.supervisor, [one, two, one], {
      code: 'validation_failed',
      extras: { errors: [{ pointer: '#/item_ids/2', code: 'invalid' }] },
    });
  });
});

describe('PM: who claims several', () => {
  it('is a supervisor or an owner; a reviewer is refused, a stranger gets 404, and nothing is claimed', async () => {
    const ids = await someItems(2);
    await expectRefused(fixture.anna, ids, { code: 'forbidden' });
    await expectRefused(await aPerson(testEnv.services), ids, { code: 'not_found' });
  });

  it('AR1: claims nothing in an archived project', async () => {
    const ids = await someItems(2);
    await archiveProject(testEnv.services, fixture.owner, fixture.projectId);
    await expectRefused(fixture.supervisor, ids, { code: 'forbidden' });
  });
});

describe('LC5: over HTTP', () => {
  let served: Served;
  beforeAll(async () => {
    served = await serve(testEnv.services);
  });
  afterAll(() => served.close());

  it('the response has the line of every item as its new holder sees it, ready to be decided, and no content', async () => {
    const [owner, supervisor] = (await people(served.testEnv, 2)) as [Person, Person];
    const project = await openProject(owner);
    await join(project, supervisor, 'supervisor');
    const ids: string[] = [];
    const large = { input: { text: 'x'.repeat(100_000) } };
    for (let n = 0; n < 4; n += 1) ids.push((await project.pipeline.submit(aSubmission(large))).id);
    const body = { project_id: project.id, item_ids: ids };
    const { data } = await supervisor.call(endpoint, { body });
    expect(data.map(({ item }) => item.id)).toEqual(ids);
    expect(JSON.stringify(data).length).toBeLessThan(4 * 1000);
    for (const { item, fence, expires_at } of data) {
      const claimed = { user_id: supervisor.id, expires_at };
      expect(item).toMatchObject({ claim: claimed, status: 'queued', version: 2 });
      const whole = await supervisor.call(readQueueItem, { params: { id: item.id } });
      expect(whole).toMatchObject({
        ...item,
        claim: { user_id: supervisor.id },
        abilities: { claim: true, decide: true },
      });
      await supervisor.call(decideItem, { params: { id: item.id }, body: { fence, action: 'approve' } });
    }
    await supervisor.refused('validation_failed', endpoint, { body: { ...body, item_ids: [] } });
    const refusal = await supervisor.refused('already_decided', endpoint, { body });
    expect(refusal.errors).toMatchObject([{ pointer: '#/item_ids/0', code: 'already_decided' }]);
  });
});
