// Withdrawal by the pipeline: what may be withdrawn, who is told, and that one row decides every race (WD1, WD2).
import { describe, expect, it } from 'vitest';
import { type Json, RawJson } from '@countersign/shared/json/json';
import { listEvents, listItems, withdrawItem } from '@countersign/shared/routes/public';
import {
  claimItem,
  decideItem,
  listQueue,
  readHistory,
  reopenItem,
  undoDecision,
} from '@countersign/shared/routes/queue';
import { archiveProject } from '@countersign/shared/routes/lifecycle';
import { readAnalytics } from '@countersign/shared/routes/analytics';
import { relayOnce } from '../../../src/worker/relay.ts';
import { aSubmission, openProject, review, setUndoWindow } from '../../builders.ts';
import { person } from '../../client.ts';
import { useWebhookProject } from '../support/webhook-project-fixture.ts';

const { inside, now, submitted, sent } = useWebhookProject();

const withdraw = (id: string, body?: { reason?: string }) =>
  now.project.pipeline.call(withdrawItem, { params: { id }, body });
async function refused(id: string) {
  const answer = await now.project.pipeline.attempt(withdrawItem, { params: { id }, body: undefined });
  if (answer.ok) throw new Error(answer.text);
  return answer.problem;
}

describe('WD1: a pipeline withdraws', () => {
  it('an item that waits, whose status is final then, and tells its webhook and feed', async () => {
    const id = await submitted();
    expect(await withdraw(id)).toEqual({ id, status: 'withdrawn', decision: null });
    const item = await now.project.pipeline.read(id);
    expect(item).toMatchObject({ status: 'withdrawn', decision: null, decided_at: item.decided_at ?? 'missing' });
    const event = {
      ...{ event: 'item.withdrawn', item_id: id, project_id: now.project.id, status: 'withdrawn' },
      ...{ decision: null, reviewer_id: null, decided_at: item.decided_at },
    };
    expect(await sent()).toEqual([event]);
    const { data: fed } = await now.project.pipeline.call(listEvents);
    expect(fed[0]?.id).toMatch(/^evt_/);
    expect(fed).toEqual([{ id: fed[0]?.id, ...event }]);
    const { data } = await now.project.pipeline.call(listItems, { query: { status: 'withdrawn' } });
    expect(data.map((one) => one.id)).toEqual([id]);
  });

  it('an escalated item, with a reason for its history', async () => {
    const id = await submitted();
    await review(now.anna, id, 'escalate');
    await withdraw(id, { reason: 'The customer cancelled.' });
    await relayOnce(inside.services, inside.signals);
    const { data } = await now.anna.call(readHistory, { params: { id } });
    expect(data.at(-1)).toMatchObject({
      ...{ type: 'item.withdrawn', reason: 'The customer cancelled.', actor: { kind: 'api_key' } },
    });
  });

  it('an item that somebody holds: the claim ends, and a decision on it is refused', async () => {
    const id = await submitted();
    const { fence } = await now.anna.call(claimItem, { params: { id } });
    await withdraw(id);
    const late = await now.anna.attempt(decideItem, { params: { id }, body: { fence, action: 'approve' } });
    expect(late.ok ? null : late.problem.code).toBe('already_decided');
    const claimed = await now.anna.attempt(claimItem, { params: { id } });
    expect(claimed.ok ? null : claimed.problem).toMatchObject({
      code: 'already_decided',
      detail: 'The pipeline withdrew this item. No answer is needed. Continue with the next item.',
    });
    const { data } = await now.anna.call(listQueue, { query: { project_id: now.project.id } });
    expect(data).toEqual([]);
    expect(await inside.services.claims.holders([id])).toEqual(new Map());
  });

  it('WD2: once: a repeat is answered alike and tells nobody again', async () => {
    const id = await submitted();
    const answers = [await withdraw(id), await withdraw(id, { reason: 'Again' })];
    expect(answers).toEqual([answers[0], answers[0]]);
    expect(await sent()).toHaveLength(1);
  });

  it('an item again that was undone, but none with a decision, however provisional', async () => {
    await setUndoWindow(now.project, 30);
    const id = await submitted();
    await review(now.anna, id, 'approve');
    expect(await refused(id)).toMatchObject({
      ...{ status: 409, code: 'already_decided', item: { id, status: 'queued', decision: null } },
      detail: 'A reviewer has decided this item. Read the decision once it is final.',
    });
    await now.anna.call(undoDecision, { params: { id } });
    expect(await withdraw(id)).toMatchObject({ status: 'withdrawn' });
  });

  it('none that is decided for good: the refusal carries the decision', async () => {
    await setUndoWindow(now.project, 0);
    const id = await submitted();
    await review(now.anna, id, 'reject');
    expect(await refused(id)).toMatchObject({
      ...{ code: 'already_decided', item: { id, status: 'rejected', decision: { action: 'reject' } } },
      detail: 'The decision stands. Read it in the item, the feed or the webhook.',
    });
    const automatic = await submitted({ confidence: 1 });
    expect(await refused(automatic)).toMatchObject({ code: 'already_decided', item: { status: 'auto_approved' } });
    const routed = await submitted({ confidence: 0 });
    expect(await refused(routed)).toMatchObject({
      ...{ code: 'already_decided', item: { status: 'rejected', decision: null } },
      detail: 'Routing rejected this item on its arrival. Nobody is asked for an answer.',
    });
  });

  it.each(['"yes"', '{"total":1.50}', '[1,2]', '1.50', 'true'])(
    'I7: none that is decided; the refusal carries the output as submitted: %s',
    async (output) => {
      await setUndoWindow(now.project, 0);
      // Sent as it is spelled here.
      const suggestion = new RawJson(output) as unknown as Json;
      const decided = await submitted({ suggestion });
      await review(now.anna, decided, 'approve');
      for (const id of [decided, await submitted({ suggestion, confidence: 1 })]) {
        const answer = await now.project.pipeline.attempt(withdrawItem, { params: { id }, body: undefined });
        expect(answer.ok ? '' : answer.text).toContain(`"output":${output}`);
      }
    },
  );

  it('none of another project, and none that does not exist', async () => {
    const other = await openProject(await person(now.served.testEnv));
    const { id } = await other.pipeline.submit(aSubmission());
    expect((await refused(id)).code).toBe('not_found');
    expect((await refused(crypto.randomUUID())).code).toBe('not_found');
    const read = await other.pipeline.read(id);
    expect(read.status).toBe('queued');
  });

  it('AR1: an item of an archived project too', async () => {
    const id = await submitted();
    await now.project.owner.call(archiveProject, { params: { id: now.project.id } });
    expect(await withdraw(id)).toEqual({ id, status: 'withdrawn', decision: null });
    expect(await sent()).toMatchObject([{ event: 'item.withdrawn', item_id: id }]);
  });

  it('for good: nobody reopens it', async () => {
    const id = await submitted();
    await withdraw(id);
    const answer = await now.project.owner.attempt(reopenItem, { params: { id }, body: undefined });
    expect(answer.ok ? null : answer.problem.code).toBe('already_decided');
  });

  it.each([
    ['an empty reason', { reason: '' }],
    ['a reason that is too long', { reason: 'x'.repeat(501) }],
    ['an unknown member', { why: 'x' }],
    ['a text', 'text'],
  ])('not with %s', async (_, body) => {
    const id = await submitted();
    const answer = await now.project.pipeline.attempt(withdrawItem, { params: { id }, body: body as never });
    expect(answer.ok ? null : answer.problem.code).toBe('validation_failed');
  });
});

describe('WD1: a race', () => {
  it('of a decision and a withdrawal has one winner, and only it is told', async () => {
    await setUndoWindow(now.project, 0);
    for (let round = 0; round < 8; round += 1) {
      const id = await submitted();
      const { fence } = await now.anna.call(claimItem, { params: { id } });
      const told = (await sent()).length;
      const [decided, withdrawn] = await Promise.all([
        now.anna.attempt(decideItem, { params: { id }, body: { fence, action: 'approve' } }),
        now.project.pipeline.attempt(withdrawItem, { params: { id }, body: undefined }),
      ]);
      expect([decided.ok, withdrawn.ok].filter(Boolean)).toHaveLength(1);
      const { status } = await now.project.pipeline.read(id);
      expect(status).toBe(decided.ok ? 'approved' : 'withdrawn');
      expect((await sent()).length).toBe(told + 1);
    }
  });
});

describe('WD3: figures', () => {
  it('count a withdrawn item as no longer waiting, and as no decision', async () => {
    const ids = [await submitted(), await submitted()];
    await withdraw(ids[0] ?? '');
    await relayOnce(inside.services, inside.signals);
    const figures = await now.project.owner.call(readAnalytics, { params: { id: now.project.id }, query: {} });
    expect(figures.waiting).toEqual({ queued: 1, escalated: 0 });
    expect(figures.mix).toMatchObject({ withdrawn: 1, queued: 1 });
  });
});
