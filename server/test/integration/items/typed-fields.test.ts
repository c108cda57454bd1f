// Tests the fields of typed answers: title, kind, actions, no suggestion, and answers in words (TC, TS5, LC7).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  claimItem,
  decideItem,
  listQueue,
  readQueueItem,
  search,
  undoDecision,
} from '@countersign/shared/routes/queue';
import type { Json } from '@countersign/shared/json/json';
import { openProject, review, setUndoWindow, type OpenProject } from '../../builders.ts';
import { person } from '../../client.ts';
import { serve, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';
import { noteMissingReasons } from '../../../src/db/learnings/assign-cluster.ts';
import { relayOnce } from '../../../src/worker/relay.ts';
import { aBody, aSender, hexOf, post } from '../webhooks/inbound-sender.ts';

const inside = useServices();
let served: Served;
let project: OpenProject;

beforeAll(async () => {
  served = await serve(inside.services);
  project = await openProject(await person(served.testEnv), { settings: { webhook_url: 'http://127.0.0.1:9090/' } });
});
afterAll(() => served.close());

const CALL = { name: 'refund', arguments: { amount: 12.5, order: 'A-1' } };
const SCHEMA = { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] };

const bodyOf = (fields: object): string =>
  JSON.stringify({ project_id: project.id, input: 'Refund it?', suggestion: 'yes', confidence: 0.8, ...fields });

async function submitted(fields: object) {
  const answer = await project.pipeline.submitRaw(bodyOf(fields));
  if (!answer.ok) throw new Error(answer.text);
  return answer.reply;
}

/** The pointers and codes of a refused submission. */
async function refused(fields: object): Promise<string[]> {
  const answer = await project.pipeline.submitRaw(bodyOf(fields));
  if (answer.ok) throw new Error(answer.text);
  expect(answer.status).toBe(422);
  return (answer.problem.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`);
}

async function held(fields: object) {
  const { id } = await submitted(fields);
  const params = { id };
  const { fence, item } = await project.owner.call(claimItem, { params });
  const decide = (body: object) => project.owner.call(decideItem, { params, body: { fence, ...body } as never });
  const attempt = async (body: object) => {
    const answer = await project.owner.attempt(decideItem, { params, body: { fence, ...body } as never });
    if (answer.ok) throw new Error(answer.text);
    const [first] = answer.problem.errors ?? [];
    return `${answer.problem.code} ${first?.pointer ?? ''} ${first?.code ?? ''}`.trim();
  };
  return { id, params, item, decide, attempt };
}

describe('a title', () => {
  it('is read back as sent, found by its words, and in the row beside the preview', async () => {
    const title = '  Refund  of “A-1”\u202e ';
    const { id } = await submitted({ title });
    expect(await project.pipeline.read(id)).toMatchObject({ title });
    const { data } = await project.owner.call(listQueue, { query: { project_id: project.id, text: 'OF “A-1' } });
    expect(data).toMatchObject([{ id, title, preview: 'Refund it?' }]);
    const found = await project.owner.call(search, { query: { q: 'a-1 refund' } });
    expect(found.items).toMatchObject([{ id, title }]);
    await review(project.owner, id);
  });

  it.each([[''], [' \n'], ['\u200b\u2060'], ['\u3164\u2800\u00ad'], ['\u202e\u200d'], ['x'.repeat(201)], [7], [null]])(
    '%j is refused',
    async (title) => {
      expect(await refused({ title })).toEqual([expect.stringMatching(/^#\/title /)]);
    },
  );
});

describe('a tool call', () => {
  it('TC1: its schema describes the arguments, with pointers into the suggestion', async () => {
    const call = { ...CALL, arguments: { amount: 'all' } };
    const { id, status } = await submitted({
      kind: 'tool_call',
      suggestion: call,
      answer_schema: SCHEMA,
      confidence: 1,
    });
    expect(status).toBe('queued');
    expect(await project.pipeline.read(id)).toMatchObject({
      kind: 'tool_call',
      routing: { rule: 'RT8' },
      suggestion_faults: [{ pointer: '/arguments/amount', keyword: 'type' }],
    });
    expect(await project.owner.call(readQueueItem, { params: { id } })).toMatchObject({
      kind: 'tool_call',
      invalid: true,
    });
    const valid = await submitted({ kind: 'tool_call', suggestion: CALL, answer_schema: SCHEMA, confidence: 1 });
    expect([valid.status, valid.decision?.output]).toEqual(['auto_approved', CALL]);
    await review(project.owner, id, 'reject');
  });

  it('TC1: a refusal stays small, however many long members a batch has, and says how many more there are', async () => {
    const extra = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`${'字'.repeat(250)}${at}`, 1]));
    const call = bodyOf({ kind: 'tool_call', suggestion: { ...CALL, ...extra } });
    const items = [...Array.from({ length: 20 }, () => call), bodyOf(extra)];
    const answer = await project.pipeline.submitBatchRaw(`{"items":[${items.join()}]}`);
    if (!answer.ok) throw new Error(answer.text);
    expect(JSON.stringify(answer.reply).length).toBeLessThan(JSON.stringify(items).length / 4);
    const details = answer.reply.results.map((one) => ('error' in one ? (one.error.errors?.at(-1)?.detail ?? '') : ''));
    expect(details[0]).toBe('Only name and arguments may be here. 35 more are not listed.');
    expect(details.at(-1)).toMatch(/^Unknown field “字{80}…”\. Check the spelling\. 20 more are not listed\.$/);
  });

  const CASES: readonly (readonly [unknown, readonly string[]])[] = [
    ['refund', ['#/suggestion type']],
    [null, ['#/suggestion type']],
    [[CALL], ['#/suggestion type']],
    [{ name: '', arguments: {} }, ['#/suggestion/name min_length']],
    [{ arguments: [] }, ['#/suggestion/name required', '#/suggestion/arguments type']],
    [{ ...CALL, 'a/b ä': 1 }, ['#/suggestion/a~1b%20%C3%A4 unknown_field']],
  ];
  it.each(CASES)('TC1: %j is refused', async (suggestion, faults) => {
    expect(await refused({ kind: 'tool_call', suggestion })).toEqual(faults);
  });

  it('TC1: in a batch and by a signed webhook it is refused in its place', async () => {
    const items = [bodyOf({ kind: 'tool_call' }), bodyOf({ kind: 'tool_call', suggestion: CALL })];
    const answer = await project.pipeline.submitBatchRaw(`{"items":[${items.join()}]}`);
    if (!answer.ok) throw new Error(answer.text);
    expect(answer.reply.results.map((one) => ('error' in one ? one.error.errors?.[0]?.pointer : one.status))).toEqual([
      '#/items/0/suggestion',
      'queued',
    ]);
    const sender = await aSender(project);
    const body = aBody({ kind: 'tool_call', suggestion: { name: 7, arguments: {} } });
    const { status, text } = await post(served, sender.path, { body, headers: hexOf(sender.secret, body) });
    expect([status, text]).toEqual([422, expect.stringContaining('"pointer":"#/suggestion/name"')]);
  });

  it('TC2: an edit changes its arguments, never its name or its shape', async () => {
    const { decide, attempt } = await held({ kind: 'tool_call', suggestion: CALL, answer_schema: SCHEMA });
    const edit = (output: Json) => ({ action: 'edit', output, reason: 'Too much' });
    const { arguments: given } = CALL;
    expect(await attempt(edit({ name: 'delete', arguments: given }))).toBe('answer_invalid #/output/name const');
    expect(await attempt(edit({ name: 'refund', arguments: [] }))).toBe('answer_invalid #/output/arguments type');
    expect(await attempt(edit('refund'))).toBe('answer_invalid #/output type');
    const wrong = edit({ name: 'refund', arguments: { amount: 'x' } });
    expect(await attempt(wrong)).toBe('answer_invalid #/output/arguments/amount type');
    const output = { name: 'refund', arguments: { amount: 3 } };
    expect((await decide(edit(output))).decision).toMatchObject({ action: 'edit', output });
  });

  it('TC2: also where it has no schema', async () => {
    const { decide, attempt } = await held({ kind: 'tool_call', suggestion: CALL });
    const output = { name: 'refund', arguments: null };
    expect(await attempt({ action: 'edit', output, reason: 'r' })).toBe('answer_invalid #/output/arguments type');
    expect((await decide({ action: 'approve' })).decision).toMatchObject({ action: 'approve', output: CALL });
  });
});

describe('allowed actions', () => {
  it('LC7: are in the row and read back; any other action is refused, also after an undo', async () => {
    await setUndoWindow(project, 30);
    const allowed_actions = ['respond', 'approve'];
    const { id, params, item, attempt, decide } = await held({ allowed_actions });
    expect(item.allowed_actions).toEqual(allowed_actions);
    expect(await project.pipeline.read(id)).toMatchObject({ allowed_actions });
    const edit = { action: 'edit', output: 'no', reason: 'r' };
    expect(await attempt(edit)).toBe('validation_failed #/action not_allowed');
    expect(await attempt({ action: 'reject', reason: 'r' })).toBe('validation_failed #/action not_allowed');
    await decide({ action: 'approve' });
    await project.owner.call(undoDecision, { params });
    const { fence } = await project.owner.call(claimItem, { params });
    const { errors } = await project.owner.refused('validation_failed', decideItem, {
      params,
      body: { fence, action: 'reject', reason: 'r' },
    });
    expect(errors).toEqual([
      {
        pointer: '#/action',
        code: 'not_allowed',
        detail: 'The submission doesn’t allow “reject”. Possible: “approve”, “respond”, “escalate”.',
      },
    ]);
    await project.owner.call(decideItem, { params, body: { fence, action: 'escalate', reason: 'Not sure' } });
    const again = await project.owner.call(claimItem, { params });
    const body = { fence: again.fence, action: 'finalize' as const, reason: 'Nobody knows' };
    expect((await project.owner.call(decideItem, { params, body })).status).toBe('escalated_final');
    await setUndoWindow(project, 0);
  });

  it('LC7: without them approving, editing and rejecting are allowed, and answering in words is not', async () => {
    const { item, attempt, decide } = await held({});
    expect(item.allowed_actions).toEqual(['approve', 'edit', 'reject']);
    expect(await attempt({ action: 'respond', response: 'No.' })).toBe('validation_failed #/action not_allowed');
    await decide({ action: 'approve' });
  });

  it('LC7, TS2: an invalid suggestion that may only be approved is passed on or withheld, by every way in', async () => {
    const fields = {
      allowed_actions: ['approve'],
      suggestion: { amount: 'all' },
      answer_schema: SCHEMA,
      confidence: 1,
    };
    const batch = await project.pipeline.submitBatchRaw(`{"items":[${bodyOf(fields)}]}`);
    const sender = await aSender(project);
    const body = aBody(fields);
    const signed = await post(served, sender.path, { body, headers: hexOf(sender.secret, body) });
    const answers = [...(batch.ok ? batch.reply.results : []), JSON.parse(signed.text), await submitted(fields)];
    expect(answers).toMatchObject(Array.from({ length: 3 }, () => ({ status: 'queued' })));
    for (const { id } of answers as { id: string }[]) {
      const params = { id };
      const take = async () => (await project.owner.call(claimItem, { params })).fence;
      const decide = { params, body: { fence: await take(), action: 'approve' as const } };
      const advice = 'instead: the submission allows nothing else. #/output/amount: must be a number';
      const { detail } = await project.owner.refused('answer_invalid', decideItem, decide);
      expect(detail).toBe(`The suggestion does not satisfy its schema. Escalate ${advice}`);
      const escalate = { action: 'escalate' as const, reason: 'Invalid' };
      await project.owner.call(decideItem, { params, body: { fence: decide.body.fence, ...escalate } });
      const fence = await take();
      const again = { params, body: { fence, action: 'approve' as const } };
      const later = await project.owner.refused('answer_invalid', decideItem, again);
      expect(later.detail).toBe(`The suggestion does not satisfy its schema. Withhold ${advice}`);
      const withhold = { fence, action: 'finalize' as const, reason: 'Invalid' };
      expect((await project.owner.call(decideItem, { params, body: withhold })).status).toBe('escalated_final');
    }
  });

  it('LC7: advice names only what the submission allows', async () => {
    const { params, attempt } = await held({ allowed_actions: ['edit', 'respond'] });
    const unchanged = { action: 'edit', output: 'yes', reason: 'r' };
    expect(await attempt(unchanged)).toBe('unchanged_edit');
    const { fence } = await project.owner.call(claimItem, { params });
    const body = { fence, ...unchanged, action: 'edit' as const };
    expect((await project.owner.refused('unchanged_edit', decideItem, { params, body })).detail).toBe(
      'No changes. Edit it first.',
    );
    await project.owner.call(decideItem, { params, body: { fence, action: 'respond', response: 'No.' } });
  });

  it('RT8: an item that nobody may approve is never approved automatically', async () => {
    const { id, status } = await submitted({ allowed_actions: ['edit', 'reject'], confidence: 1 });
    expect([status, (await project.pipeline.read(id)).routing.rule]).toEqual(['queued', 'RT8']);
    expect((await submitted({ allowed_actions: ['approve'], confidence: 1 })).status).toBe('auto_approved');
    await review(project.owner, id, 'reject');
  });

  it.each([[[]], [['approve', 'approve']], [['escalate']], ['approve'], [null]])(
    '%j is refused',
    async (allowed_actions) => {
      expect(await refused({ allowed_actions })).toEqual([expect.stringMatching(/^#\/allowed_actions/)]);
    },
  );
});

describe('a suggestion that is null', () => {
  it('TS5, RT8: is never approved, by routing or by a person', async () => {
    const { id, status } = await submitted({ suggestion: null, confidence: 1 });
    expect([status, (await project.pipeline.read(id)).routing.rule]).toEqual(['queued', 'RT8']);
    await review(project.owner, id, 'reject');
    const { item, attempt, decide } = await held({ suggestion: null });
    expect(item.has_suggestion).toBe(false);
    expect(await attempt({ action: 'approve' })).toBe('validation_failed #/action not_allowed');
    expect(await attempt({ action: 'edit', output: null })).toBe('unchanged_edit');
    const { decision } = await decide({ action: 'edit', output: 'Written.' });
    expect(decision).toMatchObject({ action: 'edit', edited: true, output: 'Written.', reason: null });
  });

  it('TS2, TS5: the written answer satisfies the schema, which says nothing of the missing suggestion', async () => {
    const { item, attempt, decide } = await held({ suggestion: null, answer_schema: SCHEMA });
    expect(item).toMatchObject({ suggestion_faults: null, invalid: false, answer_schema: SCHEMA });
    expect(await attempt({ action: 'edit', output: {} })).toBe('answer_invalid #/output/amount required');
    expect((await decide({ action: 'edit', output: { amount: 1 }, reason: 'New' })).decision?.output).toEqual({
      amount: 1,
    });
  });

  it('TS5: is refused where only approving would be allowed', async () => {
    const fields = { suggestion: null, allowed_actions: ['approve'] };
    expect(await refused(fields)).toEqual(['#/allowed_actions not_allowed']);
    const batch = await project.pipeline.submitBatchRaw(`{"items":[${bodyOf({})},${bodyOf(fields)}]}`);
    if (!batch.ok) throw new Error(batch.text);
    const [valid, other] = batch.reply.results;
    expect(other).toMatchObject({ error: { errors: [{ pointer: '#/items/1/allowed_actions', code: 'not_allowed' }] } });
    const sender = await aSender(project);
    const body = aBody(fields);
    const { status, text } = await post(served, sender.path, { body, headers: hexOf(sender.secret, body) });
    expect([status, text]).toEqual([422, expect.stringContaining('"pointer":"#/allowed_actions"')]);
    if (valid && 'id' in valid) await review(project.owner, valid.id, 'reject');
  });
});

describe('an answer in words', () => {
  it('LC8: rejects the item, and its response is in the decision, the webhook and the feed as it was sent', async () => {
    const response = ' Ask for the order\u2028number first. ';
    const { id, attempt, decide } = await held({ allowed_actions: ['approve', 'respond'] });
    expect(await attempt({ action: 'respond' })).toBe('validation_failed #/response required');
    expect(await attempt({ action: 'respond', response: ' \t' })).toContain('#/response');
    expect(await attempt({ action: 'respond', response: 'x'.repeat(20_001) })).toContain('#/response');
    expect(await attempt({ action: 'approve', response })).toBe('validation_failed #/response not_allowed');
    expect(await attempt({ action: 'respond', response, output: 'x' })).toBe('validation_failed #/output not_allowed');
    const { status, decision } = await decide({ action: 'respond', response });
    const sent = { status: 'rejected', action: 'respond', output: null, edited: false, reason: null, response };
    expect([status, decision]).toEqual(['rejected', expect.objectContaining(sent)]);
    expect(await project.pipeline.read(id)).toMatchObject({ status: 'rejected', decision: sent });
    while ((await relayOnce(inside.services, inside.signals)).again);
    const [{ body } = { body: '' }] = await inside.sql<{ body: string }>(
      'select body from delivery where item_id = ?',
      [id],
    );
    expect(JSON.parse(body)).toMatchObject({ event: 'item.decided', status: 'rejected', decision: sent });
    const learnings = await inside.sql('select action, response, reason from learning where item_id = ?', [id]);
    expect(learnings).toEqual([{ action: 'respond', response, reason: '' }]);
    // Without a reason there is no cluster, also once the worker has looked for reasons that were never recorded.
    while (await noteMissingReasons(inside.services));
    expect(await inside.sql(`select id from wording where project_id = ? and reason = ''`, [project.id])).toEqual([]);
  });
});

it('unknown fields are still refused', async () => {
  expect(await refused({ titel: 'x', allowed_action: [] })).toEqual([
    '#/titel unknown_field',
    '#/allowed_action unknown_field',
  ]);
});
