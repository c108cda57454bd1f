// Tests an expired claim: every page sees it, and a late decision counts until another person claims the item.
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createProject } from '@countersign/shared/routes/projects';
import {
  claimItem,
  claimNext,
  decideItem,
  listQueue,
  readHistory,
  releaseClaim,
  renewClaim,
} from '@countersign/shared/routes/queue';
import { aSubmission, join, openProject, type OpenProject } from '../../builders.ts';
import { people, type Person } from '../../client.ts';
import { connectLive } from '../../live-client.ts';
import { WITH_REDIS, useTestEnvironment } from '../../test-environment.ts';
import { endClaimIn, endClaims } from '../resilience/expire-leases.ts';

const testEnv = useTestEnvironment();
let owner: Person;
let reviewer: Person;
let another: Person;
let project: OpenProject;
/** A project with one item in it. */
let quiet: OpenProject;

interface Claimed {
  who: Person;
  id: string;
  params: { id: string };
  fence: number;
}
/** Items with expired claims, one per test; no one person may hold them all (LC4). */
let expired: Claimed[];
const nextExpired = () => expired.shift() as Claimed;

beforeAll(async () => {
  [owner, reviewer, another] = (await people(testEnv, 3)) as [Person, Person, Person];
  project = await openProject(owner);
  quiet = await openProject(owner);
  for (const one of [project, quiet]) for (const member of [reviewer, another]) await join(one, member);
  const holders = [reviewer, reviewer, another, another];
  expired = await Promise.all([quiet, project, project, project].map((of, n) => claimed(of, holders[n] as Person)));
  await endClaims(
    testEnv,
    expired.map(({ id }) => id),
  );
  const seen = async () =>
    expect(await Promise.all(expired.map(({ id }) => lastEvent(id)))).toEqual(Array(4).fill('claim.expired'));
  await vi.waitFor(seen, { timeout: 40_000 });
});

async function claimed(of: OpenProject, who: Person): Promise<Claimed> {
  const { id } = await of.pipeline.submit(aSubmission());
  const { fence } = await who.call(claimItem, { params: { id } });
  return { who, id, params: { id }, fence };
}

const lastEvent = async (id: string) => (await owner.call(readHistory, { params: { id } })).data.at(-1)?.type;

describe('a lease', () => {
  it('is 120 seconds, or what the project sets between 60 and 900', async () => {
    expect(project.project.claim_lease_seconds).toBe(120);
    for (const claim_lease_seconds of [59, 901])
      await owner.refused('validation_failed', createProject, { body: { name: 'Leases', claim_lease_seconds } });
    for (const claim_lease_seconds of [60, 120, 900]) {
      const own = await openProject(owner, { settings: { claim_lease_seconds } });
      const { id } = await own.pipeline.submit(aSubmission());
      const before = Date.now();
      const { fence, expires_at } = await owner.call(claimItem, { params: { id } });
      const end = Date.parse(expires_at) - claim_lease_seconds * 1000;
      expect(end).toBeGreaterThan(before - 1000);
      expect(end).toBeLessThan(Date.now() + 1000);
      await owner.call(releaseClaim, { params: { id }, body: { fence } });
    }
  });
});

describe('an expired claim', () => {
  it.runIf(WITH_REDIS)('is published to everyone, with the system as the actor', async () => {
    const live = await connectLive(owner, { process: 1 });
    const { id } = await project.pipeline.submit(aSubmission());
    const { item } = await reviewer.call(claimItem, { params: { id } });
    await live.next('item.claimed', (event) => event.item_id === id);
    await endClaims(testEnv, [id]);
    const event = await live.next('claim.expired', (expire) => expire.item_id === id);
    expect(event).toMatchObject({ actor: { kind: 'system' }, version: item.version + 1 });
    live.close();
  });

  it.runIf(WITH_REDIS)('expires at the end of its lease, not before', async () => {
    const live = await connectLive(owner, { process: 1 });
    const { id } = await project.pipeline.submit(aSubmission());
    await reviewer.call(claimItem, { params: { id } });
    const end = (await endClaimIn(testEnv, id, 1500)).getTime();
    await live.next('claim.expired', (expire) => expire.item_id === id);
    expect(Date.now()).toBeGreaterThanOrEqual(end);
    live.close();
  });

  it('makes the item available to others', async () => {
    const { id } = nextExpired();
    const { data } = await owner.call(listQueue, { query: { project_id: quiet.id, view: 'available' } });
    expect(data.find((row) => row.id === id)).toMatchObject({ claim: null });
    const next = await owner.call(claimNext, { body: { project_id: quiet.id } }, { process: 1 });
    expect(next?.item.id).toBe(id);
  });

  it('still accepts the late decision of its holder while no other person claimed the item (LC1)', async () => {
    const { who, id, params, fence } = nextExpired();
    await who.call(decideItem, { params, body: { fence, action: 'approve' } }, { process: 1 });
    expect(await project.pipeline.read(id)).toMatchObject({
      status: 'approved',
      decision: { reviewer_id: who.id },
    });
  });

  it('refuses the late decision once another person claimed the item, and names them (I3)', async () => {
    const { who, params, fence } = nextExpired();
    const next = await owner.call(claimItem, { params }, { process: 1 });
    expect(next.fence).toBeGreaterThan(fence);
    const late = await who.refused('claim_lost', decideItem, { params, body: { fence, action: 'approve' } });
    expect(late).toMatchObject({ holder: { user_id: owner.id }, expires_at: next.expires_at });
    await who.refused('claim_lost', renewClaim, { params, body: { fence } }, { process: 1 });
    await owner.call(decideItem, { params, body: { fence: next.fence, action: 'approve' } });
  });

  it('cannot be renewed by its old fence, but can be claimed again with a higher one (I3)', async () => {
    const { who, params, fence } = nextExpired();
    await who.refused('claim_lost', renewClaim, { params, body: { fence } });
    const again = await who.call(claimItem, { params });
    expect(again.fence).toBeGreaterThan(fence);
    await who.refused('claim_lost', decideItem, { params, body: { fence, action: 'approve' } });
  });
});
