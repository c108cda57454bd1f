// A reviewer goes quiet: the claim lapses, everyone sees it, and a late decision counts only while nobody else took the item.
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { claimItem, claimNext, decideItem, listQueue, readHistory, renewClaim } from '@countersign/shared/api/queue';
import { aSubmission, join, openProject, type OpenProject } from '../builders.ts';
import { people, type Person } from '../client.ts';
import { connectLive } from '../live-client.ts';
import { ON_POSTGRES, useWorld } from '../world.ts';
import { endClaims } from './passing-time.ts';

const world = useWorld();
/** A lapse is noticed within about a second; on a busy machine within two. */
const NOTICED_MS = 2000;
let owner: Person;
let reviewer: Person;
let project: OpenProject;
/** A project with one item in it. */
let quiet: OpenProject;

interface Claimed {
  id: string;
  params: { id: string };
  fence: number;
}
/** Items whose claims by the reviewer have lapsed, one for each test. */
let lapsed: Claimed[];
const nextLapsed = () => lapsed.shift() as Claimed;

beforeAll(async () => {
  [owner, reviewer] = (await people(world, 2)) as [Person, Person];
  project = await openProject(owner);
  quiet = await openProject(owner);
  await Promise.all([project, quiet].map((one) => join(one, reviewer)));
  lapsed = await Promise.all([quiet, project, project, project].map(claimed));
  await endClaims(
    world,
    lapsed.map(({ id }) => id),
  );
  const seen = async () =>
    expect(await Promise.all(lapsed.map(({ id }) => lastFact(id)))).toEqual(Array(4).fill('claim.lapsed'));
  await vi.waitFor(seen, { timeout: 5000 });
});

async function claimed(of: OpenProject): Promise<Claimed> {
  const { id } = await of.pipeline.submit(aSubmission());
  const { fence } = await reviewer.call(claimItem, { params: { id } });
  return { id, params: { id }, fence };
}

const lastFact = async (id: string) => (await owner.call(readHistory, { params: { id } })).data.at(-1)?.type;

describe('a lapsed claim', () => {
  it.runIf(ON_POSTGRES)('is told to everyone within two seconds, by the system', async () => {
    const live = await connectLive(owner, { process: 1 });
    const { id } = await project.pipeline.submit(aSubmission());
    const { item } = await reviewer.call(claimItem, { params: { id } });
    await live.next('item.claimed', (fact) => fact.item_id === id);
    await endClaims(world, [id]);
    const fact = await live.next('claim.lapsed', (lapse) => lapse.item_id === id, NOTICED_MS);
    expect(fact).toMatchObject({ actor: { kind: 'system' }, version: item.version + 1 });
    live.close();
  });

  it('puts the item back where others find it', async () => {
    const { id } = nextLapsed();
    const { data } = await owner.call(listQueue, { query: { project_id: quiet.id, view: 'available' } });
    expect(data.find((row) => row.id === id)).toMatchObject({ claim: null });
    const next = await owner.call(claimNext, { body: { project_id: quiet.id } }, { process: 1 });
    expect(next?.item.id).toBe(id);
  });

  it('still takes the late decision of its holder while nobody else took the item (LC1)', async () => {
    const { id, params, fence } = nextLapsed();
    await reviewer.call(decideItem, { params, body: { fence, action: 'approve' } }, { process: 1 });
    expect(await project.pipeline.read(id)).toMatchObject({
      status: 'approved',
      decision: { reviewer_id: reviewer.id },
    });
  });

  it('refuses the late decision once somebody else took the item, and names them (I3)', async () => {
    const { params, fence } = nextLapsed();
    const next = await owner.call(claimItem, { params }, { process: 1 });
    expect(next.fence).toBeGreaterThan(fence);
    const late = await reviewer.refused('claim_lost', decideItem, { params, body: { fence, action: 'approve' } });
    expect(late).toMatchObject({ holder: { user_id: owner.id }, expires_at: next.expires_at });
    await reviewer.refused('claim_lost', renewClaim, { params, body: { fence } }, { process: 1 });
    await owner.call(decideItem, { params, body: { fence: next.fence, action: 'approve' } });
  });

  it('cannot be renewed by its old fence, but can be claimed again with a higher one (I3)', async () => {
    const { params, fence } = nextLapsed();
    await reviewer.refused('claim_lost', renewClaim, { params, body: { fence } });
    const again = await reviewer.call(claimItem, { params });
    expect(again.fence).toBeGreaterThan(fence);
    await reviewer.refused('claim_lost', decideItem, { params, body: { fence, action: 'approve' } });
  });
});
