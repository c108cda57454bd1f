// What a reviewer's page is sent of an audited arrival, beside one that came to people by its confidence: nothing tells them apart.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FactOf } from '@countersign/shared/events';
import { listQueue, readHistory } from '@countersign/shared/api/queue';
import { aSubmission, join, openProject, type OpenProject } from '../builders.ts';
import { people, type Person } from '../client.ts';
import { connectLive, type Live } from '../live-client.ts';
import { useSharedWorld } from '../world.ts';

const world = useSharedWorld();
let reviewer: Person;
let project: OpenProject;
let live: Live;

beforeAll(async () => {
  const [owner, member] = (await people(world, 2)) as [Person, Person];
  reviewer = member;
  project = await openProject(owner, { settings: { audit_rate: 1, auto_threshold: 0.9 } });
  await join(project, reviewer);
  live = await connectLive(reviewer, { process: 1 });
  await live.entered(project.id);
});
afterAll(() => live.close());

/** The members that cannot but differ from item to item. */
const likeAny = ({ seq: _seq, server_time: _time, item_id: _id, item, ...fact }: FactOf<'item.queued'>) => {
  const { id: _item, confidence: _confidence, created_at: _created, due_at: _due, preview: _preview, ...line } = item;
  return { ...fact, item: line };
};

describe('AU3: what sockets, lists and histories say', () => {
  it('is one fact and one line, with the same members and values as of any arrival, and no gap in seq', async () => {
    const audited = await project.pipeline.submit(aSubmission({ confidence: 0.97 }));
    const plain = await project.pipeline.submit(aSubmission({ confidence: 0.7 }));
    expect([audited.status, plain.status]).toEqual(['auto_approved', 'queued']);
    const first = await live.next('item.queued', ({ item_id }) => item_id === audited.id);
    const second = await live.next('item.queued', ({ item_id }) => item_id === plain.id);
    expect(likeAny(first)).toEqual(likeAny(second));
    expect(second.seq).toBe(first.seq + 1);
    const ofItems = live.facts.filter((fact) => 'item_id' in fact && [audited.id, plain.id].includes(fact.item_id));
    expect(ofItems).toHaveLength(2);
    const { data } = await reviewer.call(listQueue, { query: { project_id: project.id } });
    expect(data.map(({ version, status }) => [version, status])).toEqual([1, 1].map((version) => [version, 'queued']));
    const historyOf = async (id: string) => (await reviewer.call(readHistory, { params: { id }, query: {} })).data;
    expect(await historyOf(audited.id)).toEqual([first]);
    expect(await historyOf(plain.id)).toEqual([second]);
  });
});
