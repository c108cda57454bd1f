// Tests that concurrent claim-next requests share one transaction, and that each gets the result it would get alone.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { claimNext as endpoint, readQueueItem } from '@countersign/shared/routes/queue';
import { MAX_CLAIMS } from '@countersign/shared/limits';
import { claimNext } from '../../../src/usecases/claims/claim-next.ts';
import type { MemberActor } from '../../../src/usecases/services.ts';
import { aSubmission, openProject } from '../../builders.ts';
import { people, type Person } from '../../client.ts';
import { withOpenTransaction, waitForBlocked } from '../support/blocking-transaction.ts';
import { endAllClaims, rowOf, eventTypesOf } from '../support/database-helpers.ts';
import {
  addReviewers,
  aPerson,
  anItem,
  createProjectFixture,
  items,
  review,
  type ProjectFixture,
} from '../support/project-fixture.ts';
import { serve, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
let fixture: ProjectFixture;

beforeEach(async () => {
  await endAllClaims(testEnv);
  fixture = await createProjectFixture(testEnv.services);
});

/** All request in the same turn, in this order; returns the holder of each item. */
const press = async (...callers: { actor: MemberActor; projectId?: string }[]): Promise<(string | null)[]> => {
  const asked = callers.map(({ actor, projectId }) => claimNext(testEnv.services, actor, { projectId }));
  return (await Promise.all(asked)).map((taken) => taken?.item.id ?? null);
};

/** An item that a reviewer has escalated. */
async function anEscalated(of = fixture): Promise<string> {
  const { id } = await anItem(testEnv.services, of);
  await review(testEnv.services, of.anna, { itemId: id, action: 'escalate' });
  return id;
}

/** Makes a person a reviewer of another fixture project too. */
const claimNextIn = ({ projectId }: ProjectFixture, who: MemberActor) =>
  testEnv.sql(`insert into member (project_id, user_id, role, created_at) values (?, ?, 'reviewer', now())`, [
    projectId,
    who.userId,
  ]);

describe('concurrent claim-next requests', () => {
  it('I3: each gets a separate item, in due order, under its own fence', async () => {
    const reviewers = await addReviewers(testEnv.services, fixture, 12);
    const ids: string[] = [];
    for (let n = 0; n < 12; n += 1) ids.push((await anItem(testEnv.services, fixture)).id);
    expect(await press(...reviewers.map((actor) => ({ actor })))).toEqual(ids);
    for (const [n, id] of ids.entries()) {
      const { claimed_by, claim_fence, version } = await rowOf(testEnv, id);
      expect({ claimed_by, claim_fence, version }).toEqual({
        claimed_by: reviewers[n]?.userId,
        claim_fence: 1,
        version: 2,
      });
      expect(await eventTypesOf(testEnv, id)).toEqual(['item.queued', 'item.claimed']);
      expect((await testEnv.lock.holders([id])).get(id)).toMatchObject({ userId: reviewers[n]?.userId, fence: 1 });
    }
  });

  it('PM2: escalated items are assigned to reviewers who may decide them, in any order of requests', async () => {
    const escalated = [await anEscalated(), await anEscalated()];
    const queued = await anItem(testEnv.services, fixture);
    const { anna, ben, supervisor, owner } = fixture;
    const given = await press({ actor: supervisor }, { actor: anna }, { actor: ben }, { actor: owner });
    expect(given).toEqual([escalated[0], queued.id, null, escalated[1]]);
  });

  it('T4: each gets items of their own projects, and only of the requested one', async () => {
    const other = await createProjectFixture(testEnv.services);
    const there = await anItem(testEnv.services, other);
    await anItem(testEnv.services, other);
    const here = await anItem(testEnv.services, fixture);
    await claimNextIn(other, fixture.anna);
    const stranger = await aPerson(testEnv.services);
    const given = await press(
      { actor: stranger },
      { actor: other.anna },
      { actor: fixture.anna, projectId: fixture.projectId },
      { actor: fixture.ben },
    );
    expect(given).toEqual([null, there.id, here.id, null]);
    await expect(
      press({ actor: fixture.ben }, { actor: stranger, projectId: fixture.projectId }),
    ).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('AR1: an archived project is skipped for a person who has another', async () => {
    const other = await createProjectFixture(testEnv.services);
    await anItem(testEnv.services, fixture);
    const { id } = await anItem(testEnv.services, other);
    await claimNextIn(other, fixture.anna);
    await testEnv.sql('update project set archived_at = now() where id = ?', [fixture.projectId]);
    expect(await press({ actor: fixture.anna }, { actor: fixture.ben })).toEqual([id, null]);
  });

  it('LC4: a person who requests twice is counted twice, and is refused without an effect on the others', async () => {
    await items(testEnv.services, fixture, 6);
    for (let held = 0; held < MAX_CLAIMS - 1; held += 1) await press({ actor: fixture.anna });
    const twice = [fixture.anna, fixture.anna, fixture.ben].map((actor) => claimNext(testEnv.services, actor, {}));
    const [first, second, bens] = await Promise.allSettled(twice);
    expect([first, second].map((result) => result?.status).sort()).toEqual(['fulfilled', 'rejected']);
    expect([first, second].find((result) => result?.status === 'rejected')).toMatchObject({
      reason: { code: 'too_many_claims' },
    });
    expect(bens).toMatchObject({ status: 'fulfilled', value: { fence: 1 } });
  });
});

describe('while another transaction locks one person', () => {
  it.each([
    ['claiming an item elsewhere', 'select id from app_user where id = ? for no key update'],
    ['being removed from the pool', 'delete from member where user_id = ?'],
  ])('%s, the others are served at once, and that person afterwards by the new state', async (why, statement) => {
    const [due] = await items(testEnv.services, fixture, 2);
    await withOpenTransaction(testEnv, [statement, [fixture.anna.userId]], async (commit) => {
      const annasClaim = claimNext(testEnv.services, fixture.anna, {});
      const bens = await claimNext(testEnv.services, fixture.ben, {});
      expect(bens?.item.id).toBe(due?.id);
      await waitForBlocked(testEnv, 1);
      await commit();
      const maySucceed = why === 'claiming an item elsewhere';
      expect((await annasClaim) !== null).toBe(maySucceed);
    });
  });
});

describe('while an item is being escalated', () => {
  it('PM2: a reviewer who waits for it does not get it, and a supervisor does', async () => {
    const { id } = await anItem(testEnv.services, fixture);
    const escalation = `update item set status = 'escalated', version = version + 1 where id = ?`;
    await withOpenTransaction(testEnv, [escalation, [id]], async (commit) => {
      const pressed = press({ actor: fixture.anna });
      await waitForBlocked(testEnv, 1);
      await commit();
      expect(await pressed).toEqual([null]);
    });
    expect(await press({ actor: fixture.supervisor })).toEqual([id]);
  });
});

describe('over HTTP', () => {
  let served: Served;
  beforeAll(async () => {
    served = await serve(testEnv.services);
  });
  afterAll(() => served.close());

  it('the response has the item as its new holder sees it, and equals reading it', async () => {
    const [owner] = (await people(served.testEnv, 1)) as [Person];
    const project = await openProject(owner);
    await project.pipeline.submit(aSubmission());
    const taken = await owner.call(endpoint, { body: {} });
    if (taken === undefined) throw new Error('One waits.');
    const { item, expires_at } = taken;
    expect(item).toMatchObject({ claim: { user_id: owner.id, expires_at }, abilities: { claim: true, decide: true } });
    expect(await owner.call(readQueueItem, { params: { id: item.id } })).toEqual({
      ...item,
      claim: { ...item.claim, expires_at: expect.any(String) as string },
    });
  });
});
