// Revisions of final decisions: who may, what is refused, who is told, and that one row decides every race (RV1 to RV4).
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readAudits } from '@countersign/shared/routes/audits';
import { archiveProject } from '@countersign/shared/routes/lifecycle';
import { listEvents, listItems, withdrawItem } from '@countersign/shared/routes/public';
import { readHistory, readQueueItem, reopenItem, reviseItem, undoDecision } from '@countersign/shared/routes/queue';
import type { PublicItem } from '@countersign/shared/schemas/public';
import type { RevisionAction } from '@countersign/shared/review-actions';
import { aSubmission, join, openProject, review, setUndoWindow, type OpenProject } from '../../builders.ts';
import { person, type Person } from '../../client.ts';
import { relayAll, sumsOf } from '../analytics/rollup-checks.ts';
import { serve, type Served } from '../support/http-server.ts';
import { expectNoFaults } from '../support/no-faults.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
const HOOK = { webhook_url: 'http://127.0.0.1:9090/' };
let served: Served;
let project: OpenProject;
/** A reviewer, and a supervisor. */
let anna: Person;
let sam: Person;

beforeAll(async () => {
  served = await serve(inside.services);
});
beforeEach(async () => {
  project = await openProject(await person(served.testEnv), { settings: HOOK });
  [anna, sam] = [await person(served.testEnv), await person(served.testEnv)];
  await join(project, anna);
  await join(project, sam, 'supervisor');
});
afterAll(async () => {
  await served.close();
  await expectNoFaults(inside);
});

type Submitted = Parameters<typeof aSubmission>[0];
const submitted = async (overrides: Submitted = {}, of = project) =>
  (await of.pipeline.submit(aSubmission(overrides))).id;
const decided = async (action: Parameters<typeof review>[2] = 'approve', overrides: Submitted = {}) => {
  const id = await submitted(overrides);
  await review(anna, id, action);
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
const revise = (id: string, action: RevisionAction, more: Body = {}, who = sam) =>
  who.call(reviseItem, { params: { id }, body: { ...BODIES[action], ...more } as never });
async function codeOf(id: string, body: Body, who = sam): Promise<string> {
  const answer = await attempt(who, id, body);
  return answer.ok ? 'ok' : answer.problem.code;
}

/** The webhook bodies of the project, in order, as text. */
async function sent(of = project): Promise<string[]> {
  await relayAll(inside);
  const rows = await inside.sql<{ body: string }>('select body from delivery where project_id = ? order by seq', [
    of.id,
  ]);
  return rows.map(({ body }) => body);
}
const parsed = (bodies: string[]) => bodies.map((body) => JSON.parse(body) as Record<string, unknown>);
const fed = async (of = project) => (await of.pipeline.call(listEvents)).data;

describe('RV1: a final decision', () => {
  it('is revised by supervisors and owners, and by nobody else', async () => {
    const id = await decided();
    expect(await codeOf(id, BODIES.reject, anna)).toBe('forbidden');
    expect(await codeOf(id, BODIES.reject, await person(served.testEnv))).toBe('not_found');
    const abilities = async (who: Person) => (await who.call(readQueueItem, { params: { id } })).abilities.revise;
    expect([await abilities(anna), await abilities(sam), await abilities(project.owner)]).toEqual([false, true, true]);
    expect(await codeOf(id, BODIES.reject)).toBe('ok');
    expect(await codeOf(id, BODIES.edit, project.owner)).toBe('ok');
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
    const before = await project.pipeline.read(id);
    const shown = await revise(id, action, { note: 'Looked again.' });
    expect(shown).toMatchObject({ status, decision: { action, revision: 2, note: 'Looked again.' }, undo_until: null });
    expect(shown.earlier_decisions.map(({ decision }) => decision)).toEqual([before.decision]);
    const item = await project.pipeline.read(id);
    const output = { approve: before.suggestion, edit: 'A corrected answer.', reject: null }[action];
    expect(item).toMatchObject({
      ...{ status, decided_at: item.decision?.decided_at },
      decision: { status, action, output, revision: 2, revises: before.decision?.id, reviewer_id: sam.id },
    });
    const { data } = await project.pipeline.call(listItems, { query: { status: item.status } });
    expect(data).toEqual([item]);
  });

  it('is an item withheld by a supervisor too', async () => {
    const id = await submitted();
    await review(anna, id, 'escalate');
    await review(sam, id, 'finalize');
    expect(await revise(id, 'approve')).toMatchObject({ status: 'approved', decision: { revision: 2 } });
  });

  it.each<[string, () => Promise<string>, RegExp]>([
    ['waits', () => submitted(), /waits for a decision/],
    ['is escalated', () => submitted({ risk_flags: ['legal'] }), /waits for a decision/],
    ['can still be undone', async () => (await setUndoWindow(project, 30), decided()), /Undo it/],
    [
      'was withdrawn',
      async () => {
        const id = await submitted();
        await project.pipeline.call(withdrawItem, { params: { id }, body: undefined });
        return id;
      },
      /no decision to revise/,
    ],
  ])('is not there while the item %s', async (_, make, says) => {
    const id = await make();
    const answer = await attempt(sam, id, BODIES.reject);
    expect(answer.ok ? null : answer.problem).toMatchObject({
      code: 'validation_failed',
      detail: expect.stringMatching(says) as string,
    });
    const { abilities } = await sam.call(readQueueItem, { params: { id } });
    expect(abilities.revise).toBe(false);
  });

  it('is not revised once its content was redacted, or in an archived project', async () => {
    const id = await decided();
    await inside.sql('update item set emptied_at = now() where id = ?', [id]);
    const answer = await attempt(sam, id, BODIES.reject);
    expect(answer.ok ? null : answer.problem.detail).toMatch(/retention/);
    await inside.sql('update item set emptied_at = null where id = ?', [id]);
    await project.owner.call(archiveProject, { params: { id: project.id }, body: undefined });
    expect(await codeOf(id, BODIES.reject)).toBe('forbidden');
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
    expect(await codeOf(id, body)).toBe(code);
    expect(await sent()).toHaveLength(1);
  });

  it('refuses the same edit again, and takes it for another reason', async () => {
    const id = await decided();
    await revise(id, 'edit');
    expect(await codeOf(id, BODIES.edit)).toBe('unchanged_edit');
    expect(await codeOf(id, { ...BODIES.edit, reason: 'Too long' })).toBe('ok');
  });

  it('stays final: nobody undoes or reopens it', async () => {
    const id = await decided();
    await revise(id, 'reject');
    await anna.refused('undo_window_passed', undoDecision, { params: { id } });
    await sam.refused('forbidden', undoDecision, { params: { id } });
    await sam.refused('already_decided', reopenItem, { params: { id }, body: undefined });
  });
});

describe('TS2, TC2, LC7: a revision', () => {
  const schema = { type: 'object', properties: { amount: { type: 'integer' } }, required: ['amount'] };

  it('satisfies the schema of its item, and approves no suggestion that does not', async () => {
    const id = await submitted({ suggestion: { amount: 'many' }, answer_schema: schema });
    await review(anna, id, 'reject');
    expect(await codeOf(id, BODIES.approve)).toBe('answer_invalid');
    const answer = await attempt(sam, id, { ...BODIES.edit, output: { amount: 1.5 } });
    expect(answer.ok ? null : answer.problem).toMatchObject({
      code: 'answer_invalid',
      errors: [{ pointer: '#/output/amount' }],
    });
    expect(await codeOf(id, { ...BODIES.edit, output: { amount: 3 } })).toBe('ok');
    const item = await project.pipeline.read(id);
    expect(item.decision?.output).toEqual({ amount: 3 });
  });

  it('changes the arguments of a tool call, and never its name', async () => {
    const suggestion = { name: 'refund', arguments: { amount: 5 } };
    const id = await decided('approve', { suggestion, kind: 'tool_call' });
    expect(await codeOf(id, { ...BODIES.edit, output: { name: 'pay', arguments: {} } })).toBe('answer_invalid');
    expect(await codeOf(id, { ...BODIES.edit, output: { name: 'refund', arguments: { amount: 4 } } })).toBe('ok');
  });

  it('keeps to what the submission allows', async () => {
    const id = await decided('approve', { allowed_actions: ['approve', 'reject'] });
    const answer = await attempt(sam, id, BODIES.edit);
    expect(answer.ok ? null : answer.problem.errors).toMatchObject([{ pointer: '#/action', code: 'not_allowed' }]);
    expect(await codeOf(id, BODIES.reject)).toBe('ok');
  });

  it('is not advised to respond, which none can', async () => {
    const allowed_actions = ['approve', 'reject', 'respond'] as const;
    const id = await decided('respond', {
      allowed_actions: [...allowed_actions],
      suggestion: {},
      answer_schema: schema,
    });
    const detailOf = async (body: Body) => {
      const answer = await attempt(sam, id, body);
      return answer.ok ? '' : answer.problem.detail;
    };
    expect(await detailOf(BODIES.edit)).toContain('Possible: “approve”, “reject”.');
    expect(await detailOf(BODIES.approve)).toContain('Reject instead.');
  });
});

describe('RV2: a revision is told', () => {
  it('once, by decision.revised after item.decided, whose bytes stay what they were', async () => {
    const id = await decided();
    const [first = ''] = await sent();
    expect(first).not.toMatch(/revision|revises/);
    await revise(id, 'reject');
    await revise(id, 'edit');
    const bodies = await sent();
    expect(bodies[0]).toBe(first);
    const item = await project.pipeline.read(id);
    const [one, two, three] = parsed(bodies) as { event: string; decision: NonNullable<PublicItem['decision']> }[];
    expect([one?.event, two?.event, three?.event]).toEqual(['item.decided', 'decision.revised', 'decision.revised']);
    expect(two).toMatchObject({ item_id: id, status: 'rejected', reviewer_id: sam.id });
    expect([two?.decision.revision, three?.decision.revision]).toEqual([2, 3]);
    expect([two?.decision.revises, three?.decision.revises]).toEqual([one?.decision.id, two?.decision.id]);
    expect(three?.decision).toEqual(item.decision);
    expect(Object.keys(three ?? {})).toEqual(Object.keys(one ?? {}));
    const feed = await fed();
    expect(feed.map(({ id: _id, ...event }) => event)).toEqual(parsed(bodies));
    expect(new Set(feed.map((event) => event.id)).size).toBe(3);
    const page = await project.pipeline.call(listEvents, { query: { limit: 1 } });
    const rest = await project.pipeline.call(listEvents, { query: { after: page.next_cursor } });
    expect([...page.data, ...rest.data]).toEqual(feed);
  });

  it('WE1: to neither in a project that leaves the event out', async () => {
    const settings = { ...HOOK, webhook_events: ['item.decided' as const] };
    const quiet = await openProject(await person(served.testEnv), { settings });
    const id = await submitted({}, quiet);
    await review(quiet.owner, id, 'approve');
    await revise(id, 'reject', {}, quiet.owner);
    expect(parsed(await sent(quiet))).toMatchObject([{ event: 'item.decided' }]);
    expect((await fed(quiet)).map(({ event }) => event)).toEqual(['item.decided']);
  });

  it('to the history of the item, with what it was', async () => {
    const id = await decided('reject');
    await revise(id, 'approve');
    await relayAll(inside);
    const { data } = await anna.call(readHistory, { params: { id } });
    expect(data.at(-1)).toMatchObject({
      ...{ type: 'decision.revised', status: 'approved', action: 'approve', reason: 'Right after all', revision: 2 },
      ...{ was: { status: 'rejected', action: 'reject' }, actor: { kind: 'member', id: sam.id } },
    });
  });

  it('once for a request that is repeated, and only for the one who sent it', async () => {
    const id = await decided();
    const { decision } = await sam.call(readQueueItem, { params: { id } });
    const body = { ...BODIES.reject, revises: decision?.id };
    expect(await codeOf(id, body)).toBe('ok');
    expect(await codeOf(id, body)).toBe('ok');
    expect(await codeOf(id, { ...body, reason: 'Another reason' })).toBe('already_revised');
    expect(await codeOf(id, body, project.owner)).toBe('already_revised');
    expect(await sent()).toHaveLength(2);
  });

  it('is one of two that revise the same decision at the same time', async () => {
    for (let round = 0; round < 6; round += 1) {
      const id = await decided();
      const { decision } = await sam.call(readQueueItem, { params: { id } });
      const told = (await sent()).length;
      const codes = await Promise.all([
        codeOf(id, { ...BODIES.reject, revises: decision?.id }),
        codeOf(id, { ...BODIES.edit, revises: decision?.id }, project.owner),
      ]);
      expect(codes.toSorted()).toEqual(['already_revised', 'ok']);
      expect(await sent()).toHaveLength(told + 1);
    }
  });

  it('both of two that name none: one after the other', async () => {
    const id = await decided();
    const codes = await Promise.all([codeOf(id, BODIES.reject), codeOf(id, BODIES.edit, project.owner)]);
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
    expect(parsed(await sent())).toMatchObject([{ event: 'decision.revised', status: 'approved' }]);
    await revise(id, 'reject');
    await sam.refused('already_decided', reopenItem, { params: { id }, body: undefined });
    expect((await sam.call(readQueueItem, { params: { id } })).abilities).toMatchObject({
      reopen: false,
      revise: true,
    });
  });

  it('is revised where it approved', async () => {
    const id = await submitted({ confidence: 1 });
    expect(await codeOf(id, BODIES.approve)).toBe('unchanged_edit');
    const before = await project.pipeline.read(id);
    await revise(id, 'edit');
    const item = await project.pipeline.read(id);
    expect(item).toMatchObject({ status: 'approved', decision: { revision: 2, revises: before.decision?.id } });
    expect(parsed(await sent())).toMatchObject([
      { event: 'decision.revised', decision: { output: 'A corrected answer.' } },
    ]);
    expect(await sumsOf(inside, project.id, 'status')).toEqual({ approved: 1 });
    expect(await sumsOf(inside, project.id, 'decided'), 'RV7: no person had decided').toEqual({});
  });
});

describe('RV4: an audited item', () => {
  it('ships the revision, which replaces the verdict in the error as well', async () => {
    const audits = await openProject(await person(served.testEnv), { settings: { ...HOOK, audit_rate: 1 } });
    await join(audits, anna);
    const id = await submitted({ confidence: 0.99 }, audits);
    expect(await codeOf(id, BODIES.reject, audits.owner)).toBe('validation_failed');
    await review(anna, id, 'approve');
    const error = async () => {
      const { judged, wrong } = await audits.owner.call(readAudits, { params: { id: audits.id }, query: {} });
      return { judged, wrong };
    };
    expect(await error()).toEqual({ judged: 1, wrong: 0 });
    const before = await audits.pipeline.read(id);
    expect(before).toMatchObject({ status: 'auto_approved', decided_at: before.created_at });
    const { decision } = await audits.owner.call(readQueueItem, { params: { id } });
    const body = { ...BODIES.reject, revises: decision?.id };
    expect(await codeOf(id, body, audits.owner)).toBe('ok');
    expect(await codeOf(id, body, audits.owner), 'a repeat').toBe('ok');
    const item = await audits.pipeline.read(id);
    expect(item).toMatchObject({
      status: 'rejected',
      decision: { action: 'reject', revision: 2, revises: before.decision?.id },
    });
    expect(item.decided_at).toBe(item.decision?.decided_at);
    const list = async (status: 'rejected' | 'auto_approved') =>
      (await audits.pipeline.call(listItems, { query: { status } })).data;
    expect([await list('rejected'), await list('auto_approved')]).toEqual([[item], []]);
    expect(parsed(await sent(audits))).toMatchObject([{ event: 'decision.revised', status: 'rejected' }]);
    expect((await fed(audits)).map(({ event }) => event)).toEqual(['item.decided', 'decision.revised']);
    const shown = await audits.owner.call(readQueueItem, { params: { id } });
    expect(shown).toMatchObject({ audited: false });
    expect(shown.earlier_decisions).toMatchObject([
      { decision: { id: decision?.id } },
      { decision: { action: 'auto_approve' } },
    ]);
    expect(await error()).toEqual({ judged: 1, wrong: 1 });
    expect(await sumsOf(inside, audits.id, 'verdict')).toEqual({ reject: 1 });
    expect(await sumsOf(inside, audits.id, 'status')).toEqual({ rejected: 1 });
    await revise(id, 'approve', {}, audits.owner);
    expect(await error()).toEqual({ judged: 1, wrong: 0 });
  });
});
