// Tests revisions of final decisions: who may, what is refused, who is told, and who wins a race (RV1 to RV4).
import { describe, expect, it } from 'vitest';
import { readAudits } from '@countersign/shared/routes/audits';
import { archiveProject } from '@countersign/shared/routes/lifecycle';
import { listEvents, listItems, withdrawItem } from '@countersign/shared/routes/public';
import { readHistory, readQueueItem, reopenItem, reviseItem, undoDecision } from '@countersign/shared/routes/queue';
import type { PublicItem, Submission } from '@countersign/shared/schemas/public';
import type { RevisionAction } from '@countersign/shared/review-actions';
import { join, openProject, review, setUndoWindow } from '../../builders.ts';
import { codeOf, person, type Person } from '../../client.ts';
import { relayAll, sumsOf } from '../analytics/rollup-checks.ts';
import { HOOK, useWebhookProject } from '../support/webhook-project-fixture.ts';

const { inside, now, submitted, sentTexts, sent } = useWebhookProject();

const decided = async (action: Parameters<typeof review>[2] = 'approve', overrides: Partial<Submission> = {}) => {
  const id = await submitted(overrides);
  await review(now.anna, id, action);
  return id;
};

type Body = Record<string, unknown>;
const BODIES: Record<RevisionAction, Body> = {
  approve: { action: 'approve', reason: 'Right after all' },
  edit: { action: 'edit', output: 'A corrected answer.', reason: 'Wrong fact' },
  reject: { action: 'reject', reason: 'Policy changed' },
};
const attempt = (who: Person, id: string, body: Body) =>
  who.attempt(reviseItem, { params: { id }, body: body as never });
const revise = (id: string, action: RevisionAction, more: Body = {}, who = now.boss) =>
  who.call(reviseItem, { params: { id }, body: { ...BODIES[action], ...more } as never });
const codeOfRevision = async (id: string, body: Body, who = now.boss) => codeOf(await attempt(who, id, body));

const fed = async (of = now.project) => (await of.pipeline.call(listEvents)).data;

describe('RV1: a final decision', () => {
  it('is revised by supervisors and owners, and by nobody else', async () => {
    const id = await decided();
    expect(await codeOfRevision(id, BODIES.reject, now.anna)).toBe('forbidden');
    expect(await codeOfRevision(id, BODIES.reject, await person(now.served.testEnv))).toBe('not_found');
    const abilities = async (who: Person) => (await who.call(readQueueItem, { params: { id } })).abilities.revise;
    expect([await abilities(now.anna), await abilities(now.boss), await abilities(now.project.owner)]).toEqual([
      false,
      true,
      true,
    ]);
    expect(await codeOfRevision(id, BODIES.reject)).toBe('ok');
    expect(await codeOfRevision(id, BODIES.edit, now.project.owner)).toBe('ok');
  });

  it.each<[Parameters<typeof review>[2], RevisionAction, string]>([
    ['approve', 'reject', 'rejected'],
    ['approve', 'edit', 'approved'],
    ['edit', 'approve', 'approved'],
    ['edit', 'edit', 'approved'],
    ['reject', 'approve', 'approved'],
    ['reject', 'reject', 'rejected'],
  ])('to %s is revised to %s', async (first, action, status) => {
    const id = await decided(first);
    const before = await now.project.pipeline.read(id);
    const shown = await revise(id, action, { note: 'Looked again.' });
    expect(shown).toMatchObject({ status, decision: { action, revision: 2, note: 'Looked again.' }, undo_until: null });
    expect(shown.earlier_decisions.map(({ decision }) => decision)).toEqual([before.decision]);
    const item = await now.project.pipeline.read(id);
    const output = { approve: before.suggestion, edit: 'A corrected answer.', reject: null }[action];
    expect(item).toMatchObject({
      ...{ status, decided_at: item.decision?.decided_at },
      decision: { status, action, output, revision: 2, revises: before.decision?.id, reviewer_id: now.boss.id },
    });
    const { data } = await now.project.pipeline.call(listItems, { query: { status: item.status } });
    expect(data).toEqual([item]);
  });

  it('is an item withheld by a supervisor too', async () => {
    const id = await submitted();
    await review(now.anna, id, 'escalate');
    await review(now.boss, id, 'finalize');
    expect(await revise(id, 'approve')).toMatchObject({ status: 'approved', decision: { revision: 2 } });
  });

  it.each<[string, () => Promise<string>, RegExp]>([
    ['waits', () => submitted(), /waits for a decision/],
    ['is escalated', () => submitted({ risk_flags: ['legal'] }), /waits for a decision/],
    ['can still be undone', async () => (await setUndoWindow(now.project, 30), decided()), /Undo it/],
    [
      'was withdrawn',
      async () => {
        const id = await submitted();
        await now.project.pipeline.call(withdrawItem, { params: { id }, body: undefined });
        return id;
      },
      /nothing to revise/,
    ],
  ])('is not there while the item %s', async (_, make, says) => {
    const id = await make();
    const answer = await attempt(now.boss, id, BODIES.reject);
    expect(answer.ok ? null : answer.problem).toMatchObject({
      code: 'validation_failed',
      detail: expect.stringMatching(says) as string,
    });
    const { abilities } = await now.boss.call(readQueueItem, { params: { id } });
    expect(abilities.revise).toBe(false);
  });

  it('is not revised once its content was redacted, or in an archived project', async () => {
    const id = await decided();
    await inside.sql('update item set emptied_at = now() where id = ?', [id]);
    const answer = await attempt(now.boss, id, BODIES.reject);
    expect(answer.ok ? null : answer.problem.detail).toMatch(/retention/);
    await inside.sql('update item set emptied_at = null where id = ?', [id]);
    await now.project.owner.call(archiveProject, { params: { id: now.project.id }, body: undefined });
    expect(await codeOfRevision(id, BODIES.reject)).toBe('forbidden');
  });

  it.each<[string, Body, string]>([
    ['without a reason', { action: 'reject' }, 'validation_failed'],
    ['with an empty reason', { action: 'reject', reason: ' ' }, 'validation_failed'],
    ['to another action', { action: 'escalate', reason: 'Why' }, 'validation_failed'],
    ['to a response', { action: 'respond', response: 'Words', reason: 'Why' }, 'validation_failed'],
    ['by an edit without an output', { action: 'edit', reason: 'Why' }, 'validation_failed'],
    ['by a rejection with an output', { ...BODIES.reject, output: 'x' }, 'validation_failed'],
    ['to what it is already', BODIES.approve, 'unchanged_edit'],
    ['of no such id', { ...BODIES.reject, revises: crypto.randomUUID() }, 'already_revised'],
  ])('is not revised %s', async (_, body, code) => {
    const id = await decided();
    expect(await codeOfRevision(id, body)).toBe(code);
    expect(await sent()).toHaveLength(1);
  });

  it('refuses the same edit again, and takes it for another reason', async () => {
    const id = await decided();
    await revise(id, 'edit');
    expect(await codeOfRevision(id, BODIES.edit)).toBe('unchanged_edit');
    expect(await codeOfRevision(id, { ...BODIES.edit, reason: 'Too long' })).toBe('ok');
  });

  it('stays final: nobody undoes or reopens it', async () => {
    const id = await decided();
    await revise(id, 'reject');
    await now.anna.refused('undo_window_passed', undoDecision, { params: { id } });
    await now.boss.refused('forbidden', undoDecision, { params: { id } });
    await now.boss.refused('already_decided', reopenItem, { params: { id }, body: undefined });
  });
});

describe('TS2, TC2, LC7: a revision', () => {
  const schema = { type: 'object', properties: { amount: { type: 'integer' } }, required: ['amount'] };

  it('satisfies the schema of its item, and approves no suggestion that does not', async () => {
    const id = await submitted({ suggestion: { amount: 'many' }, answer_schema: schema });
    await review(now.anna, id, 'reject');
    expect(await codeOfRevision(id, BODIES.approve)).toBe('answer_invalid');
    const answer = await attempt(now.boss, id, { ...BODIES.edit, output: { amount: 1.5 } });
    expect(answer.ok ? null : answer.problem).toMatchObject({
      code: 'answer_invalid',
      errors: [{ pointer: '#/output/amount' }],
    });
    expect(await codeOfRevision(id, { ...BODIES.edit, output: { amount: 3 } })).toBe('ok');
    const item = await now.project.pipeline.read(id);
    expect(item.decision?.output).toEqual({ amount: 3 });
  });

  it('changes the arguments of a tool call, and never its name', async () => {
    const suggestion = { name: 'refund', arguments: { amount: 5 } };
    const id = await decided('approve', { suggestion, kind: 'tool_call' });
    expect(await codeOfRevision(id, { ...BODIES.edit, output: { name: 'pay', arguments: {} } })).toBe('answer_invalid');
    expect(await codeOfRevision(id, { ...BODIES.edit, output: { name: 'refund', arguments: { amount: 4 } } })).toBe(
      'ok',
    );
  });

  it('keeps to what the submission allows', async () => {
    const id = await decided('approve', { allowed_actions: ['approve', 'reject'] });
    const answer = await attempt(now.boss, id, BODIES.edit);
    expect(answer.ok ? null : answer.problem.errors).toMatchObject([{ pointer: '#/action', code: 'not_allowed' }]);
    expect(await codeOfRevision(id, BODIES.reject)).toBe('ok');
  });

  it('is not advised to respond, which none can', async () => {
    const allowed_actions = ['approve', 'reject', 'respond'] as const;
    const id = await decided('respond', {
      allowed_actions: [...allowed_actions],
      suggestion: {},
      answer_schema: schema,
    });
    const detailOf = async (body: Body) => {
      const answer = await attempt(now.boss, id, body);
      return answer.ok ? '' : answer.problem.detail;
    };
    expect(await detailOf(BODIES.edit)).toContain('Possible: “approve”, “reject”.');
    expect(await detailOf(BODIES.approve)).toContain('Reject instead.');
  });

  it('is refused in words where the submission allows no action of a revision', async () => {
    const id = await decided('respond', { allowed_actions: ['respond'] });
    for (const body of Object.values(BODIES)) {
      const answer = await attempt(now.boss, id, body);
      const detail = `The submission doesn’t allow “${String(body.action)}”, nor any other action of a revision.`;
      expect(answer.ok ? null : answer.problem).toMatchObject({ code: 'validation_failed', detail });
    }
  });
});

describe('RV2: a revision is told', () => {
  it('once, by decision.revised after item.decided, whose bytes stay what they were', async () => {
    const id = await decided();
    const [first = ''] = await sentTexts();
    expect(first).not.toMatch(/revision|revises/);
    await revise(id, 'reject');
    await revise(id, 'edit');
    const bodies = await sent();
    expect((await sentTexts())[0]).toBe(first);
    const item = await now.project.pipeline.read(id);
    const [one, two, three] = bodies as { event: string; decision: NonNullable<PublicItem['decision']> }[];
    expect([one?.event, two?.event, three?.event]).toEqual(['item.decided', 'decision.revised', 'decision.revised']);
    expect(two).toMatchObject({ item_id: id, status: 'rejected', reviewer_id: now.boss.id });
    expect([two?.decision.revision, three?.decision.revision]).toEqual([2, 3]);
    expect([two?.decision.revises, three?.decision.revises]).toEqual([one?.decision.id, two?.decision.id]);
    expect(three?.decision).toEqual(item.decision);
    expect(Object.keys(three ?? {})).toEqual(Object.keys(one ?? {}));
    const feed = await fed();
    expect(feed.map(({ id: _id, ...event }) => event)).toEqual(bodies);
    expect(new Set(feed.map((event) => event.id)).size).toBe(3);
    const page = await now.project.pipeline.call(listEvents, { query: { limit: 1 } });
    const rest = await now.project.pipeline.call(listEvents, { query: { after: page.next_cursor } });
    expect([...page.data, ...rest.data]).toEqual(feed);
  });

  it('WE1: to neither in a project that leaves the event out', async () => {
    const settings = { ...HOOK, webhook_events: ['item.decided' as const] };
    const quiet = await openProject(await person(now.served.testEnv), { settings });
    const id = await submitted({}, quiet);
    await review(quiet.owner, id, 'approve');
    await revise(id, 'reject', {}, quiet.owner);
    expect(await sent(quiet)).toMatchObject([{ event: 'item.decided' }]);
    expect((await fed(quiet)).map(({ event }) => event)).toEqual(['item.decided']);
  });

  it('to the history of the item, with what it was', async () => {
    const id = await decided('reject');
    await revise(id, 'approve');
    await relayAll(inside);
    const { data } = await now.anna.call(readHistory, { params: { id } });
    expect(data.at(-1)).toMatchObject({
      ...{ type: 'decision.revised', status: 'approved', action: 'approve', reason: 'Right after all', revision: 2 },
      ...{ was: { status: 'rejected', action: 'reject' }, actor: { kind: 'member', id: now.boss.id } },
    });
  });

  it('once for a request that is repeated, and only for the one who sent it', async () => {
    const id = await decided();
    const { decision } = await now.boss.call(readQueueItem, { params: { id } });
    const body = { ...BODIES.reject, revises: decision?.id };
    expect(await codeOfRevision(id, body)).toBe('ok');
    expect(await codeOfRevision(id, body)).toBe('ok');
    expect(await codeOfRevision(id, { ...body, reason: 'Another reason' })).toBe('already_revised');
    expect(await codeOfRevision(id, body, now.project.owner)).toBe('already_revised');
    expect(await sent()).toHaveLength(2);
  });

  it('is one of two that revise the same decision at the same time', async () => {
    for (let round = 0; round < 6; round += 1) {
      const id = await decided();
      const { decision } = await now.boss.call(readQueueItem, { params: { id } });
      const told = (await sent()).length;
      const codes = await Promise.all([
        codeOfRevision(id, { ...BODIES.reject, revises: decision?.id }),
        codeOfRevision(id, { ...BODIES.edit, revises: decision?.id }, now.project.owner),
      ]);
      expect(codes.toSorted()).toEqual(['already_revised', 'ok']);
      expect(await sent()).toHaveLength(told + 1);
    }
  });

  it('both of two that name none: one after the other', async () => {
    const id = await decided();
    const codes = await Promise.all([
      codeOfRevision(id, BODIES.reject),
      codeOfRevision(id, BODIES.edit, now.project.owner),
    ]);
    expect(codes).toEqual(['ok', 'ok']);
    const chain = await inside.sql(
      'select revision, superseded_at is null as now from decision where item_id = ? order by 1',
      [id],
    );
    expect(chain).toEqual([
      { revision: 1, now: false },
      { revision: 2, now: false },
      { revision: 3, now: true },
    ]);
  });

  it('I1: by the database, which stores neither a second first decision nor two revisions of one', async () => {
    const id = await decided();
    await revise(id, 'reject');
    const copy = (revision: number, revises: string) =>
      inside.sql(
        `insert into decision select (jsonb_populate_record(d, jsonb_build_object('id', gen_random_uuid(), 'revision', ?::int, 'revises', ${revises}))).*
         from decision d where d.item_id = ? and d.revision = 2`,
        [revision, id],
      );
    await expect(copy(1, 'null')).rejects.toThrow(/decision_of_chain/);
    await expect(copy(2, 'null')).rejects.toThrow(/decision_of_chain/);
    await expect(copy(3, 'd.revises')).rejects.toThrow(/decision_revises/);
  });
});

describe('RV3: what routing decided', () => {
  it('is revised where it rejected: the revision has no decision before it, and nobody reopens the item', async () => {
    const id = await submitted({ confidence: 0 });
    const shown = await revise(id, 'approve', { revises: null });
    expect(shown).toMatchObject({
      status: 'approved',
      decision: { revision: 2, revises: null },
      earlier_decisions: [],
    });
    expect(await sent()).toMatchObject([{ event: 'decision.revised', status: 'approved' }]);
    await revise(id, 'reject');
    await now.boss.refused('already_decided', reopenItem, { params: { id }, body: undefined });
    expect((await now.boss.call(readQueueItem, { params: { id } })).abilities).toMatchObject({
      reopen: false,
      revise: true,
    });
  });

  it('is revised where it approved', async () => {
    const id = await submitted({ confidence: 1 });
    expect(await codeOfRevision(id, BODIES.approve)).toBe('unchanged_edit');
    const before = await now.project.pipeline.read(id);
    await revise(id, 'edit');
    const item = await now.project.pipeline.read(id);
    expect(item).toMatchObject({ status: 'approved', decision: { revision: 2, revises: before.decision?.id } });
    expect(await sent()).toMatchObject([{ event: 'decision.revised', decision: { output: 'A corrected answer.' } }]);
    await relayAll(inside);
    expect(await sumsOf(inside, now.project.id, 'status')).toEqual({ approved: 1 });
    expect(await sumsOf(inside, now.project.id, 'decided'), 'RV7: no person had decided').toEqual({});
  });
});

describe('RV4: an audited item', () => {
  it('ships the revision, which replaces the verdict in the error as well', async () => {
    const audits = await openProject(await person(now.served.testEnv), { settings: { ...HOOK, audit_rate: 1 } });
    await join(audits, now.anna);
    const id = await submitted({ confidence: 0.99 }, audits);
    expect(await codeOfRevision(id, BODIES.reject, audits.owner)).toBe('validation_failed');
    await review(now.anna, id, 'approve');
    const error = async () => {
      const { judged, wrong } = await audits.owner.call(readAudits, { params: { id: audits.id }, query: {} });
      return { judged, wrong };
    };
    expect(await error()).toEqual({ judged: 1, wrong: 0 });
    const before = await audits.pipeline.read(id);
    expect(before).toMatchObject({ status: 'auto_approved', decided_at: before.created_at });
    const { decision } = await audits.owner.call(readQueueItem, { params: { id } });
    const body = { ...BODIES.reject, revises: decision?.id };
    expect(await codeOfRevision(id, body, audits.owner)).toBe('ok');
    expect(await codeOfRevision(id, body, audits.owner), 'a repeat').toBe('ok');
    const item = await audits.pipeline.read(id);
    expect(item).toMatchObject({
      status: 'rejected',
      decision: { action: 'reject', revision: 2, revises: before.decision?.id },
    });
    expect(item.decided_at).toBe(item.decision?.decided_at);
    const list = async (status: 'rejected' | 'auto_approved') =>
      (await audits.pipeline.call(listItems, { query: { status } })).data;
    expect([await list('rejected'), await list('auto_approved')]).toEqual([[item], []]);
    expect(await sent(audits)).toMatchObject([{ event: 'decision.revised', status: 'rejected' }]);
    expect((await fed(audits)).map(({ event }) => event)).toEqual(['item.decided', 'decision.revised']);
    const shown = await audits.owner.call(readQueueItem, { params: { id } });
    expect(shown).toMatchObject({ audited: false });
    expect(shown.earlier_decisions).toMatchObject([
      { decision: { id: decision?.id } },
      { decision: { action: 'auto_approve' } },
    ]);
    expect(await error()).toEqual({ judged: 1, wrong: 1 });
    await relayAll(inside);
    expect(await sumsOf(inside, audits.id, 'verdict')).toEqual({ reject: 1 });
    expect(await sumsOf(inside, audits.id, 'status')).toEqual({ rejected: 1 });
    await revise(id, 'approve', {}, audits.owner);
    expect(await error()).toEqual({ judged: 1, wrong: 0 });
  });
});
