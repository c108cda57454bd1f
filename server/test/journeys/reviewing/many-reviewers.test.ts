// Tests fifty people on one queue: one item that all claim, and a backlog that all work off.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimItem, claimNext, decideItem, listQueue } from '@countersign/shared/routes/queue';
import type { Granted } from '@countersign/shared/schemas/queue';
import { MAX_CLAIMS } from '@countersign/shared/limits';
import { submitBatch } from '@countersign/shared/routes/public';
import { aSubmission, insertMembers, openProject, type OpenProject, review } from '../../builders.ts';
import { people, type Person } from '../../client.ts';
import { connectLive, type Live } from '../../live-client.ts';
import { useSharedTestEnvironment } from '../../test-environment.ts';

const testEnv = useSharedTestEnvironment();
const REVIEWERS = 50;
const QUEUE_SIZE = 200;
let owner: Person;
let reviewers: Person[];
let project: OpenProject;

beforeAll(async () => {
  [owner, ...reviewers] = (await people(testEnv, REVIEWERS + 1)) as [Person, ...Person[]];
  project = await openProject(owner);
  await insertMembers(project, reviewers);
});

describe('fifty reviewers on one item', () => {
  let lives: Live[];

  beforeAll(async () => {
    lives = await Promise.all([...reviewers, owner].map((one, process) => connectLive(one, { process })));
    await Promise.all(lives.map((live) => live.entered(project.id)));
  });
  afterAll(() => lives.forEach((live) => live.close()));

  it('I4: one claims it, 49 get the name of the holder, and the 50 other screens show it', async () => {
    const { id } = await project.pipeline.submit(aSubmission());
    await Promise.all(lives.map((live) => live.next('item.queued', (event) => event.item_id === id)));
    const answers = await Promise.all(
      reviewers.map((one, process) => one.attempt(claimItem, { params: { id } }, { process })),
    );
    const seen = await Promise.all(lives.map((live) => live.next('item.claimed', (event) => event.item_id === id)));
    const winner = reviewers.find((_, n) => answers[n]?.ok) as Person;
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
    const holder = { user_id: winner.id, name: expect.stringContaining('…') as string };
    for (const answer of answers)
      if (!answer.ok) expect([answer.status, answer.problem]).toMatchObject([409, { code: 'claim_held', holder }]);
    expect(new Set(seen.map(({ actor }) => actor.id))).toEqual(new Set([winner.id]));
    const claims = lives.map((live) =>
      live.events.filter((event) => event.type === 'item.claimed' && event.item_id === id),
    );
    expect(claims.map((list) => list.length)).toEqual(Array.from({ length: REVIEWERS + 1 }, () => 1));
    // Held items count for what they may claim next (LC4).
    await review(winner, id);
  });
});

describe('fifty reviewers who claim next until nothing is left', () => {
  it(
    'I4, LC4: get 200 distinct items, everybody at least one, and nobody gets an empty answer while items wait',
    { timeout: 90_000 },
    async () => {
      const workload = await openProject(owner);
      await insertMembers(workload, reviewers);
      const items = Array.from({ length: QUEUE_SIZE / 2 }, () => ({ project_id: workload.id, ...aSubmission() }));
      for (let half = 0; half < 2; half += 1) await workload.pipeline.call(submitBatch, { body: { items } });
      const handed = await Promise.all(
        reviewers.map((one, n) => emptyQueue(one, { workload, process: n, keepsClaims: n % 2 === 1 })),
      );
      expect(handed.map((ids) => ids.length > 0)).toEqual(Array.from({ length: REVIEWERS }, () => true));
      expect(handed.flat()).toHaveLength(QUEUE_SIZE);
      expect(new Set(handed.flat()).size).toBe(QUEUE_SIZE);
      const { counts } = await owner.call(listQueue, { query: { project_id: workload.id } });
      expect(counts).toEqual({ available: 0, mine: 0, escalated: 0, all: 0 });
    },
  );

  /** Claims the next item and decides it, repeatedly; a hoarder decides only at the claim limit. */
  async function emptyQueue(
    one: Person,
    { workload, process, keepsClaims }: { workload: OpenProject; process: number; keepsClaims: boolean },
  ): Promise<string[]> {
    const handed: string[] = [];
    let held: Granted[] = [];
    const decideAll = async () => {
      for (const { item, fence } of held)
        await one.call(decideItem, { params: { id: item.id }, body: { fence, action: 'approve' } }, { process });
      held = [];
    };
    for (;;) {
      const answer = await one.attempt(claimNext, { body: { project_id: workload.id } }, { process });
      if (!answer.ok) {
        expect([answer.problem.code, held.length]).toEqual(['too_many_claims', MAX_CLAIMS]);
        await decideAll();
      } else if (answer.reply === undefined) {
        // No item is released here, so the recorded holders stay correct.
        const { counts } = await one.call(listQueue, { query: { project_id: workload.id } }, { process });
        expect(counts.available).toBe(0);
        await decideAll();
        return handed;
      } else {
        handed.push(answer.reply.item.id);
        held.push(answer.reply);
        if (!keepsClaims) await decideAll();
      }
    }
  }
});
