// Typed answers over HTTP: schemas of items and projects, what they do to routing, and what they refuse (TS, RT8).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeProject, readProject } from '@countersign/shared/routes/projects';
import { claimItem, claimNext, decideItem, readQueueItem, undoDecision } from '@countersign/shared/routes/queue';
import type { Json } from '@countersign/shared/json/json';
import { aSubmission, openProject, review, setUndoWindow, type OpenProject } from '../../builders.ts';
import { person } from '../../client.ts';
import { serve, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';
import { aBody, aSender, hexOf, post } from '../webhooks/inbound-sender.ts';

const inside = useServices();
let served: Served;
let project: OpenProject;

beforeAll(async () => {
  served = await serve(inside.services);
  project = await openProject(await person(served.testEnv));
});
afterAll(() => served.close());

/** A refund: its spelling is preserved, and its amount compared as a decimal. */
const REFUND =
  '{"type":"object", "required":["amount"], "properties":{"10":true, "amount":{"type":"number","multipleOf":0.10}}}';
const VALID = '{"amount":0.30}';
const INVALID = '{"amount":"0.30"}';
const FAULT = {
  pointer: '/amount',
  schema_pointer: '/properties/amount/type',
  keyword: 'type',
  message: 'must be a number',
};
const AT_OUTPUT = { pointer: '#/output/amount', code: 'type', detail: 'must be a number' };

const bodyOf = (suggestion: string, schema: string | null, confidence = 0.99): string =>
  `{"project_id":"${project.id}","input":1,"suggestion":${suggestion},"confidence":${confidence}${
    schema === null ? '' : `,"answer_schema":${schema}`
  }}`;

async function submitted(suggestion: string, schema: string | null = REFUND, confidence = 0.99) {
  const answer = await project.pipeline.submitRaw(bodyOf(suggestion, schema, confidence));
  if (!answer.ok) throw new Error(answer.text);
  return answer.reply;
}

/** The text of a read, as it was sent. */
const textOf = async (id: string): Promise<string> => {
  const answer = await fetch(`${served.testEnv.url()}/api/public/items/${id}`, {
    headers: { 'x-api-key': project.pipeline.apiKey },
  });
  return answer.text();
};

async function refusedSchema(schema: Json, member = '#/answer_schema') {
  const answer = await project.pipeline.submitRaw(bodyOf('1', JSON.stringify(schema)));
  if (answer.ok) throw new Error(answer.text);
  expect(answer.problem).toMatchObject({ code: 'schema_invalid', status: 422 });
  return (answer.problem.errors ?? []).map(({ pointer, detail }) => `${pointer.replace(member, '')} ${detail}`);
}

describe('a submission with its own schema', () => {
  it('RT2, TS1: is approved automatically where the suggestion satisfies it', async () => {
    const { id, status, decision } = await submitted(VALID);
    expect([status, decision?.output]).toEqual(['auto_approved', { amount: 0.3 }]);
    const text = await textOf(id);
    expect(text).toContain(`"answer_schema":${REFUND}`);
    expect(text).not.toContain('suggestion_faults');
  });

  it('RT8, TS1: is queued where it does not, and says why to the pipeline and to reviewers', async () => {
    const { id, status } = await submitted(INVALID);
    expect(status).toBe('queued');
    const { routing, suggestion_faults } = await project.pipeline.read(id);
    expect([routing.rule, suggestion_faults]).toEqual(['RT8', [FAULT]]);
    expect(await project.owner.call(readQueueItem, { params: { id } })).toMatchObject({
      answer_schema: JSON.parse(REFUND) as Json,
      suggestion_faults: [FAULT],
      routing: { rule: 'RT8' },
    });
    await review(project.owner, id, 'reject');
  });

  it('TS1: leaves every other rule as it is', async () => {
    const routed = await Promise.all([0.8, 0.1].map(async (confidence) => submitted(INVALID, REFUND, confidence)));
    expect(routed.map(({ status }) => status)).toEqual(['queued', 'rejected']);
    const [queued] = routed;
    expect((await project.pipeline.read(queued?.id ?? '')).routing.rule).toBe('RT3');
  });

  it('TS1: is not approved either where the check takes too many steps', async () => {
    const twice = (next: number) => ({ anyOf: [{ $ref: `#/$defs/d${next}` }, { $ref: `#/$defs/d${next}` }] });
    const $defs = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`d${n}`, n === 39 ? false : twice(n + 1)]));
    const { id, status } = await submitted('1', JSON.stringify({ $defs, $ref: '#/$defs/d0' }));
    expect(status).toBe('queued');
    expect((await project.pipeline.read(id)).suggestion_faults).toMatchObject([{ keyword: 'budget' }]);
  });

  it('is refused with a pointer for each fault of the schema', async () => {
    expect(await refusedSchema({ properties: { 'a b': { type: 'text' } }, pattern: '(?=a)' })).toEqual([
      expect.stringMatching(/^\/properties\/a%20b\/type This must be one of/),
      '/pattern Lookahead and lookbehind are not supported.',
    ]);
    expect(await refusedSchema(7)).toEqual([' A schema is an object, true or false.']);
    expect(await refusedSchema({ title: 'x'.repeat(33_000) })).toEqual([' A schema has at most 32 KiB.']);
  });

  it('in a batch is judged or refused item by item', async () => {
    const items = [bodyOf(VALID, REFUND), bodyOf(INVALID, REFUND), bodyOf('1', '{"type":"text"}'), bodyOf('1', null)];
    const answer = await project.pipeline.submitBatchRaw(`{"items":[${items.join()}]}`);
    if (!answer.ok) throw new Error(answer.text);
    const results = answer.reply.results.map((one) => ('error' in one ? one.error.errors?.[0]?.pointer : one.status));
    expect(results).toEqual(['auto_approved', 'queued', '#/items/2/answer_schema/type', 'auto_approved']);
  });

  it('by a signed webhook is judged too', async () => {
    const sender = await aSender(project);
    const send = (schema: Json) => {
      const body = aBody({ confidence: 0.99, suggestion: 'yes', answer_schema: schema });
      return post(served, sender.path, { body, headers: hexOf(sender.secret, body) });
    };
    expect(JSON.parse((await send({ type: 'string' })).text)).toMatchObject({ status: 'auto_approved' });
    expect(JSON.parse((await send({ type: 'null' })).text)).toMatchObject({ status: 'queued' });
    expect(JSON.parse((await send({ type: 'text' })).text)).toMatchObject({ code: 'schema_invalid' });
  });

  it('stores its schema once', async () => {
    await Promise.all([submitted(VALID), submitted(VALID), submitted(INVALID)]);
    const rows = await inside.sql<{ text: string }>(
      'select text from answer_schema where project_id = ? and text = ?',
      [project.id, REFUND],
    );
    expect(rows).toHaveLength(1);
  });
});

describe('a decision on an item with a schema', () => {
  const held = async (suggestion: string) => {
    const { id } = await submitted(suggestion, REFUND, 0.8);
    const { fence } = await project.owner.call(claimItem, { params: { id } });
    return { id, params: { id }, fence };
  };
  const edit = (fence: number, output: Json) => ({ fence, action: 'edit' as const, output, reason: 'Wrong fact' });

  it('TS2: approving a suggestion that does not satisfy it is refused', async () => {
    const { params, fence } = await held(INVALID);
    const { owner } = project;
    const { errors, detail } = await owner.refused('answer_invalid', decideItem, {
      params,
      body: { fence, action: 'approve' },
    });
    const unchanged = edit(fence, JSON.parse(INVALID) as Json);
    expect((await owner.refused('unchanged_edit', decideItem, { params, body: unchanged })).detail).toBe(
      'No changes, and the suggestion does not satisfy its schema. Edit or reject instead.',
    );
    expect(errors).toEqual([AT_OUTPUT]);
    expect(detail).toBe(
      'The suggestion does not satisfy its schema. Edit or reject instead. #/output/amount: must be a number',
    );
    const decided = await owner.call(decideItem, { params, body: edit(fence, { amount: 1.1 }) });
    expect(decided.decision).toMatchObject({ status: 'approved', output: { amount: 1.1 } });
  });

  it('TS2: where it does not, an edit may correct what a double does not tell apart', async () => {
    const { params, fence } = await held('{"amount":0.30000000000000000001}');
    const unchanged = edit(fence, { amount: 0.3 });
    const decided = await project.owner.call(decideItem, { params, body: unchanged });
    expect(decided.decision).toMatchObject({ action: 'edit', output: { amount: 0.3 } });
    const other = await held('{"amount":0.30}');
    const same = edit(other.fence, { amount: 0.3 });
    const refused = await project.owner.refused('unchanged_edit', decideItem, { params: other.params, body: same });
    expect(refused.detail).toBe('No changes. Edit it or approve it as is.');
    await review(project.owner, other.id, 'approve');
  });

  it('TS2: so is an edit that does not, and the claim stays', async () => {
    const { params, fence } = await held(VALID);
    const { owner } = project;
    const refused = await owner.refused('answer_invalid', decideItem, { params, body: edit(fence, { amount: 'x' }) });
    expect(refused.errors).toEqual([AT_OUTPUT]);
    expect(refused.detail).toBe('#/output/amount: must be a number');
    await owner.refused('answer_invalid', decideItem, { params, body: edit(fence, { amount: 0.35 }) });
    const decided = await owner.call(decideItem, { params, body: { fence, action: 'approve' } });
    expect(decided.decision?.action).toBe('approve');
  });

  it('TS2: names the place of a fault as a URI fragment, and of a long one what contains it', async () => {
    const [name, long] = ['a b/ü%', '字'.repeat(200)];
    const inner = { type: 'object', properties: { [long]: { type: 'number' } } };
    const properties = {
      n: { type: 'number' },
      [name]: { ...inner, properties: { ...inner.properties, n: { type: 'number' } } },
    };
    const { id } = await submitted(JSON.stringify({ n: 1 }), JSON.stringify({ type: 'object', properties }), 0.8);
    const { fence } = await project.owner.call(claimItem, { params: { id } });
    const body = edit(fence, { n: 2, [name]: { n: 'x', [long]: 'x' } });
    const { errors } = await project.owner.refused('answer_invalid', decideItem, { params: { id }, body });
    expect(errors?.map(({ pointer, detail }) => `${pointer} ${detail}`).sort()).toEqual([
      '#/output/a%20b~1%C3%BC%25 contains a value that must be a number',
      '#/output/a%20b~1%C3%BC%25/n must be a number',
    ]);
    await project.owner.call(decideItem, { params: { id }, body: { fence, action: 'approve' } });
  });

  it('TS2: a rejection needs no valid output, and a decision after an undo is checked again', async () => {
    await setUndoWindow(project, 30);
    const { params, fence } = await held(INVALID);
    const { owner } = project;
    await owner.call(decideItem, { params, body: { fence, action: 'reject', reason: 'Policy' } });
    await owner.call(undoDecision, { params });
    const again = await owner.call(claimItem, { params });
    await owner.refused('answer_invalid', decideItem, { params, body: { fence: again.fence, action: 'approve' } });
    await owner.call(decideItem, { params, body: { fence: again.fence, action: 'reject', reason: 'Policy' } });
    await setUndoWindow(project, 0);
  });

  it('TS4: an approved suggestion leaves byte for byte', async () => {
    const spelled = '{ "amount" : 0.30, "10": 1e0 }';
    const { id, params, fence } = await held(spelled);
    await project.owner.call(decideItem, { params, body: { fence, action: 'approve' } });
    expect(await textOf(id)).toContain(`"output":${spelled}`);
  });

  it('the next item comes with its schema and faults', async () => {
    const other = await openProject(project.owner);
    await other.pipeline.submit(aSubmission({ answer_schema: { type: 'null' } }));
    const granted = await project.owner.call(claimNext, { body: { project_id: other.id } });
    expect(granted?.item).toMatchObject({ answer_schema: { type: 'null' }, suggestion_faults: [{ keyword: 'type' }] });
  });
});

describe('the schema of a project', () => {
  const change = async (of: OpenProject, answer_schema: Json) => {
    const params = { id: of.id };
    const { settings_version } = await of.owner.call(readProject, { params });
    return of.owner.call(changeProject, { params, body: { settings_version, answer_schema } });
  };

  it('TS1: applies to items that bring none, from the next submission on, and can be switched off', async () => {
    const of = await openProject(project.owner);
    const statusOf = async (overrides: object = {}) =>
      (await of.pipeline.submit(aSubmission({ confidence: 0.99, suggestion: 'yes', ...overrides }))).status;
    expect(await statusOf()).toBe('auto_approved');
    expect((await change(of, { type: 'null' })).answer_schema).toEqual({ type: 'null' });
    expect(await statusOf()).toBe('queued');
    expect(await statusOf({ answer_schema: null })).toBe('auto_approved');
    expect(await statusOf({ answer_schema: { type: 'string' } })).toBe('auto_approved');
    await change(of, { type: 'string' });
    expect(await statusOf()).toBe('auto_approved');
    await change(of, { type: 'null' });
    expect(await statusOf()).toBe('queued');
    await change(of, null);
    expect(await statusOf()).toBe('auto_approved');
  });

  it('stays that of an item that arrived under it', async () => {
    const of = await openProject(project.owner);
    await change(of, { type: 'null' });
    const { id } = await of.pipeline.submit(aSubmission({ confidence: 0.99 }));
    await change(of, { type: 'string' });
    const { fence } = await of.owner.call(claimItem, { params: { id } });
    const body = { fence, action: 'approve' as const };
    await of.owner.refused('answer_invalid', decideItem, { params: { id }, body });
    expect((await of.pipeline.read(id)).answer_schema).toEqual({ type: 'null' });
  });

  it('is refused with pointers where it is invalid, and can be set when the project is created', async () => {
    const params = { id: project.id };
    const { settings_version } = await project.owner.call(readProject, { params });
    const body = { settings_version, answer_schema: { items: { $dynamicRef: '#a' } } };
    const { errors } = await project.owner.refused('schema_invalid', changeProject, { params, body });
    expect(errors).toMatchObject([{ pointer: '#/answer_schema/items/%24dynamicRef', code: 'schema_invalid' }]);
    const of = await openProject(project.owner, { settings: { answer_schema: { type: 'null' } as never } });
    expect((await of.pipeline.submit(aSubmission({ confidence: 1 }))).status).toBe('queued');
  });
});

describe('a submission without a schema', () => {
  it('reads as before: no member is new', async () => {
    const { id } = await submitted('"yes"', null);
    expect(Object.keys(JSON.parse(await textOf(id)) as object)).toEqual([
      ...['id', 'project_id', 'status', 'decision', 'input', 'suggestion', 'confidence', 'risk_flags', 'metadata'],
      ...['routing', 'created_at', 'decided_at'],
    ]);
  });
});

it('KE2: an item is read without its schema where retention deletes that meanwhile', async () => {
  const { id } = await submitted(VALID, '{"type":"object"}');
  await inside.sql(`delete from answer_schema where text = '{"type":"object"}'`);
  expect(JSON.parse(await textOf(id))).not.toHaveProperty('answer_schema');
});
