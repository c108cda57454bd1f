// Tests several people on one queue, through different processes: one holder at a time, rising fences, and roles.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readProject } from '@countersign/shared/routes/projects';
import { readItem } from '@countersign/shared/routes/public';
import {
  claimItem,
  claimNext,
  decideItem,
  listQueue,
  readQueueItem,
  releaseClaim,
  renewClaim,
} from '@countersign/shared/routes/queue';
import type { Granted } from '@countersign/shared/schemas/queue';
import type { Problem } from '@countersign/shared/schemas/parts/problem';
import { aSubmission, join, openProject, type OpenProject, review } from '../../builders.ts';
import { people, type Person } from '../../client.ts';
import { connectLive, type Live } from '../../live-client.ts';
import { useSharedTestEnvironment } from '../../test-environment.ts';

const testEnv = useSharedTestEnvironment();
const NOBODY = '00000000-0000-7000-8000-000000000000';
/** A problem without the parts that differ by request. */
const bare = ({ request_id: _id, instance: _path, ...rest }: Problem) => rest;
let owner: Person;
let reviewer: Person;
let crowd: Person[];
let project: OpenProject;
let live: Live;

beforeAll(async () => {
  [owner, reviewer, ...crowd] = (await people(testEnv, 10)) as [Person, Person, ...Person[]];
  project = await openProject(owner);
  await Promise.all([reviewer, ...crowd].map((member) => join(project, member)));
  live = await connectLive(reviewer, { process: 1 });
  await live.entered(project.id);
});

afterAll(() => live.close());

/** Claims that one test leaves would count for the limit in the next (LC4). */
const giveBack = (who: Person, { item, fence }: Granted) =>
  who.call(releaseClaim, { params: { id: item.id }, body: { fence } });

const arrive = async (overrides: Parameters<typeof aSubmission>[0] = {}) =>
  (await project.pipeline.submit(aSubmission(overrides))).id;

describe('claims', () => {
  it('of 50 at once by ten people over both processes: one holds it, the others get the name of the holder (I4)', async () => {
    const id = await arrive();
    const everyone = [owner, reviewer, ...crowd];
    const attempts = await Promise.all(
      Array.from({ length: 50 }, async (_, n) => {
        const claimant = everyone[n % everyone.length] as Person;
        return { claimant, answer: await claimant.attempt(claimItem, { params: { id } }, { process: n }) };
      }),
    );
    const holders = attempts.flatMap(({ claimant, answer }) => (answer.ok ? [{ claimant, ...answer.reply }] : []));
    // The holder's other clicks renew the claim: same person, same fence.
    expect(new Set(holders.map(({ claimant }) => claimant.id)).size).toBe(1);
    expect(new Set(holders.map(({ fence }) => fence)).size).toBe(1);
    const holder = holders[0]?.claimant as Person;
    expect(attempts.filter(({ claimant }) => claimant !== holder).every(({ answer }) => !answer.ok)).toBe(true);
    for (const { answer } of attempts) {
      if (answer.ok) continue;
      expect(answer).toMatchObject({ status: 409, problem: { code: 'claim_held', holder: { user_id: holder.id } } });
      expect(Date.parse(answer.problem.expires_at ?? '')).toBeGreaterThan(Date.now());
    }
    await live.next('item.claimed', (event) => event.item_id === id);
    await review(holder, id);
    await live.next('item.finalized', (event) => event.item_id === id);
    expect(live.events.filter((event) => event.type === 'item.claimed' && event.item_id === id)).toHaveLength(1);
  });

  it('by one at a time: the second of two is refused at either process until it is released', async () => {
    const id = await arrive();
    const { fence, expires_at } = await owner.call(claimItem, { params: { id } });
    for (const process of [0, 1]) {
      const refusal = await reviewer.refused('claim_held', claimItem, { params: { id } }, { process });
      expect(refusal.holder?.user_id).toBe(owner.id);
      // The lock store measures the lease of two minutes by its own clock: the same end, give or take the latency.
      expect(Math.abs(Date.parse(refusal.expires_at ?? '') - Date.parse(expires_at))).toBeLessThan(60_000);
    }
    await reviewer.refused('claim_lost', releaseClaim, { params: { id }, body: { fence } });
    await owner.call(releaseClaim, { params: { id }, body: { fence } }, { process: 1 });
    await giveBack(reviewer, await reviewer.call(claimItem, { params: { id } }));
  });

  it("show on another's socket, with who and until when", async () => {
    const id = await arrive();
    const grant = await owner.call(claimItem, { params: { id } });
    const { expires_at } = grant;
    const event = await live.next('item.claimed', (claimed) => claimed.item_id === id);
    expect(event).toMatchObject({ actor: { kind: 'member', id: owner.id }, expires_at });
    const row = await reviewer.call(readQueueItem, { params: { id } }, { process: 1 });
    expect(row).toMatchObject({ claim: { user_id: owner.id }, abilities: { claim: false, decide: false } });
    await giveBack(owner, grant);
  });

  it('carry a fence that only rises, and an old fence does nothing any more (I3)', async () => {
    const id = await arrive();
    const params = { id };
    const first = await owner.call(claimItem, { params });
    await owner.call(releaseClaim, { params, body: { fence: first.fence } });
    await live.next('claim.released', (event) => event.item_id === id);
    const second = await reviewer.call(claimItem, { params }, { process: 1 });
    expect(second.fence).toBeGreaterThan(first.fence);
    const old = { params, body: { fence: first.fence, action: 'approve' as const } };
    expect(await owner.refused('claim_lost', decideItem, old)).toMatchObject({ holder: { user_id: reviewer.id } });
    await owner.refused('claim_lost', renewClaim, { params, body: { fence: first.fence } });
    // Nor does the new fence from another person, nor an unknown one.
    await owner.refused('claim_lost', decideItem, { params, body: { fence: second.fence, action: 'approve' } });
    await reviewer.refused('claim_lost', decideItem, { params, body: { fence: second.fence + 1, action: 'approve' } });
    expect(await reviewer.call(renewClaim, { params, body: { fence: second.fence } })).toMatchObject({
      fence: second.fence,
    });
    await reviewer.call(decideItem, { params, body: { fence: second.fence, action: 'approve' } });
    await reviewer.refused('already_decided', decideItem, { params, body: { fence: second.fence, action: 'approve' } });
    await owner.refused('already_decided', claimItem, { params }, { process: 1 });
  });

  it('end in one decision when the holder decides from two windows at once (I1, LC1)', async () => {
    const id = await arrive();
    const { fence } = await reviewer.call(claimItem, { params: { id } });
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) => {
        const body =
          n % 2 ? { fence, action: 'approve' as const } : { fence, action: 'reject' as const, reason: 'Other' };
        return reviewer.attempt(decideItem, { params: { id }, body }, { process: n });
      }),
    );
    expect(answers.filter((answer) => answer.ok)).toHaveLength(1);
    const codes = answers.flatMap((answer) => (answer.ok ? [] : [answer.problem.code]));
    expect(new Set(codes)).toEqual(new Set(['already_decided']));
  });
});

describe('claim-next', () => {
  it('by many at once over both processes returns distinct items, none twice, oldest due first (I4)', async () => {
    const own = await openProject(owner);
    const reviewers = [reviewer, ...crowd];
    await Promise.all(reviewers.map((member) => join(own, member)));
    const ids: string[] = [];
    for (let n = 0; n < 20; n += 1) ids.push((await own.pipeline.submit(aSubmission())).id);
    const grants = await Promise.all(
      Array.from({ length: 27 }, async (_, n) => {
        const who = reviewers[n % reviewers.length] as Person;
        const grant = await who.call(claimNext, { body: { project_id: own.id } }, { process: n });
        return grant === undefined ? [] : [{ who, grant }];
      }),
    );
    const taken = grants.flat().map(({ grant }) => grant.item.id);
    expect(new Set(taken).size).toBe(taken.length);
    expect(taken.toSorted()).toEqual(ids.toSorted());
    const { counts } = await owner.call(listQueue, { query: { project_id: own.id } });
    expect(counts).toMatchObject({ available: 0, all: 20 });
    expect(await owner.call(claimNext, { body: { project_id: own.id } })).toBeUndefined();
    await Promise.all(grants.flat().map(({ who, grant }) => giveBack(who, grant)));
  });

  it('returns the oldest due item first, and escalated ones first to those who may decide them (LC3)', async () => {
    const own = await openProject(owner);
    await join(own, reviewer);
    const [first, second] = [await own.pipeline.submit(aSubmission()), await own.pipeline.submit(aSubmission())];
    const escalated = await own.pipeline.submit(aSubmission({ risk_flags: ['legal'] }));
    const next = async (who: Person) => (await who.call(claimNext, { body: { project_id: own.id } }))?.item.id;
    expect(await next(reviewer)).toBe(first.id);
    expect(await next(owner)).toBe(escalated.id);
    expect(await next(owner)).toBe(second.id);
    expect(await next(reviewer)).toBeUndefined();
  });
});

describe('roles (PM)', () => {
  it('let a reviewer see an escalated item but neither claim nor decide it; a supervisor may', async () => {
    const id = await arrive({ risk_flags: ['high_value'] });
    await reviewer.call(readQueueItem, { params: { id } });
    await reviewer.refused('forbidden', claimItem, { params: { id } });
    await reviewer.refused('forbidden', decideItem, { params: { id }, body: { fence: 1, action: 'approve' } });
    const supervisor = crowd[0] as Person;
    await join(project, supervisor, 'supervisor');
    await review(supervisor, id, 'return', { process: 1 });
    expect(await review(reviewer, id, 'approve')).toMatchObject({ status: 'approved' });
  });

  it('release a queued item that its reviewer escalates', async () => {
    const id = await arrive();
    expect(await review(reviewer, id, 'escalate')).toMatchObject({ status: 'escalated', abilities: { claim: false } });
    const event = await live.next('item.escalated', (escalated) => escalated.item_id === id);
    expect(event).toMatchObject({ reason: 'Against policy', actor: { id: reviewer.id }, item: { claim: null } });
    await reviewer.refused('forbidden', claimItem, { params: { id } });
    expect(await review(owner, id, 'finalize')).toMatchObject({ status: 'escalated_final' });
  });

  it("hide another project: its ids answer like ids that never existed, and its events reach no stranger's socket (I8)", async () => {
    const foreign = await openProject(owner);
    const late = await connectLive(reviewer);
    const { id } = await foreign.pipeline.submit(aSubmission());
    const requests: [string, (id: string) => Promise<Problem>][] = [
      [id, (item) => reviewer.refused('not_found', readQueueItem, { params: { id: item } })],
      [id, (item) => reviewer.refused('not_found', claimItem, { params: { id: item } })],
      [foreign.id, (other) => reviewer.refused('not_found', readProject, { params: { id: other } })],
      [id, (item) => project.pipeline.refused('not_found', readItem, { params: { id: item } })],
    ];
    for (const [real, request] of requests) expect(bare(await request(real))).toEqual(bare(await request(NOBODY)));
    await reviewer.refused('not_found', listQueue, { query: { project_id: foreign.id } });
    // A later event of their own project arrives: one of the foreign project would have come before it.
    const seen = await arrive();
    for (const socket of [live, late]) {
      await socket.next('item.queued', (event) => event.item_id === seen);
      expect(socket.events.filter((event) => event.project_id === foreign.id)).toEqual([]);
      expect(socket.rooms.has(foreign.id)).toBe(false);
    }
    late.close();
  });

  it('admit a new member at once: the socket enters the room and receives the next event (I8)', async () => {
    const own = await openProject(owner);
    await join(own, reviewer);
    await live.entered(own.id);
    const { id } = await own.pipeline.submit(aSubmission());
    await live.next('item.queued', (event) => event.item_id === id);
    expect(live.resyncs).toContainEqual({ project_id: own.id, reason: 'membership' });
  });
});
