// Tests batches: every item is judged separately and answered in its place, the whole stored once per key.
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '@countersign/shared/limits';
import type { BatchResult } from '@countersign/shared/schemas/public';
import { listQueue } from '@countersign/shared/routes/queue';
import { ERRORS, type ErrorCode } from '@countersign/shared/errors';
import { aSubmission, openProject, type OpenProject } from '../../builders.ts';
import { type Person, person } from '../../client.ts';
import { useSharedTestEnvironment } from '../../test-environment.ts';

const testEnv = useSharedTestEnvironment();
let owner: Person;
let project: OpenProject;

beforeAll(async () => {
  owner = await person(testEnv);
  project = await openProject(owner);
});

const itemOf = (of: OpenProject, overrides: object = {}) =>
  JSON.stringify({ project_id: of.id, ...aSubmission(), ...overrides });
const batchOf = (items: string[]) => `{"items":[${items.join(',')}]}`;
const send = (items: string[]) => project.pipeline.submitBatchRaw(batchOf(items));
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const countOf = async (of: OpenProject) => (await owner.call(listQueue, { query: { project_id: of.id } })).counts.all;

async function resultsOf(items: string[]): Promise<BatchResult[]> {
  const answer = await send(items);
  if (!answer.ok) throw new Error(answer.text);
  return answer.reply.results;
}

/** A result in short: a status, or the code and the pointers of its errors. */
function comesTo(result: BatchResult | undefined): string | [string, ...string[]] | undefined {
  if (result === undefined || 'status' in result) return result?.status;
  const { code, status, title, errors = [] } = result.error;
  expect({ status, title }).toEqual(ERRORS[code]);
  return [code, ...errors.map(({ pointer }) => pointer)];
}

describe('the results of a batch', () => {
  it('are in the order of its items, each routed by its own numbers', async () => {
    const confidences = Array.from({ length: 60 }, (_, n) => [0.8, 0.99, 0.1][n % 3] ?? 0);
    const results = await resultsOf(confidences.map((confidence, n) => itemOf(project, { confidence, input: n })));
    expect(results.map(({ index }) => index)).toEqual(confidences.map((_, n) => n));
    expect(results.map(comesTo)).toEqual(confidences.map((_, n) => ['queued', 'auto_approved', 'rejected'][n % 3]));
    for (const n of [0, 1, 2, 58, 59]) {
      const result = results[n];
      if (result === undefined || !('id' in result)) throw new Error('It is stored.');
      const { status, decision, id } = result;
      expect(await project.pipeline.read(id, { process: n })).toMatchObject({ input: n, status, decision });
    }
  });

  it.each<[string, () => string, ErrorCode, ...string[]]>([
    ['an unknown field', () => itemOf(project, { risk_flag: ['legal'] }), 'validation_failed', '#/items/3/risk_flag'],
    ['a second unknown one in capitals', () => itemOf(project, { Input: 1 }), 'validation_failed', '#/items/3/Input'],
    [
      'an unknown field called __proto__',
      () => itemOf(project).replace('{', '{"__proto__":{"a":1},'),
      'validation_failed',
      '#/items/3/__proto__',
    ],
    ['confidence 2', () => itemOf(project, { confidence: 2 }), 'validation_failed', '#/items/3/confidence'],
    ['a missing field', () => itemOf(project, { suggestion: undefined }), 'validation_failed', '#/items/3/suggestion'],
    ['NUL', () => itemOf(project, { input: { a: ['x', '\u0000'] } }), 'validation_failed', '#/items/3/input/a/1'],
    ['a lone surrogate', () => itemOf(project, { suggestion: '\ud800' }), 'validation_failed', '#/items/3/suggestion'],
    [
      'depth 33',
      () => itemOf(project).replace('{', `{"metadata":{"deep":${nested(32)}},`),
      'validation_failed',
      `#/items/3/metadata/deep${'/0'.repeat(31)}`,
    ],
    [
      'a doubled key',
      () => itemOf(project).replace('{', '{"confidence":0.7,'),
      'validation_failed',
      '#/items/3/confidence',
    ],
    ['no object', () => '7', 'validation_failed', '#/items/3'],
    ['null', () => 'null', 'validation_failed', '#/items/3'],
    ['more than 256 KiB', () => itemOf(project, { input: 'x'.repeat(LIMITS.itemBytes) }), 'payload_too_large'],
    [
      'another project',
      () => itemOf(project, { project_id: '0197f1a0-0000-7000-8000-000000000001' }),
      'project_mismatch',
    ],
  ])('an item with %s is refused in its place; the others are stored', async (_, bad, ...problem) => {
    const good = () => itemOf(project);
    const results = await resultsOf([good(), good(), good(), bad(), good()]);
    expect(results.map(comesTo)).toEqual(['queued', 'queued', 'queued', problem, 'queued']);
    const ids = results.flatMap((result) => ('id' in result ? [result.id] : []));
    for (const id of ids) expect(await project.pipeline.read(id)).toMatchObject({ id, status: 'queued' });
  });

  it('may all be refusals, and none is stored', async () => {
    const own = await openProject(owner);
    const answer = await own.pipeline.submitBatchRaw(batchOf([itemOf(own, { confidence: -1 }), itemOf(project)]));
    if (!answer.ok) throw new Error(answer.text);
    const codes = answer.reply.results.map(comesTo);
    expect(codes).toEqual([['validation_failed', '#/items/0/confidence'], ['project_mismatch']]);
    expect(await countOf(own)).toBe(0);
  });

  it('I7: number spelling, key order and white space survive; the item at its limit too', async () => {
    const raw = '{ "z": 1.0, "a": [1e2, "\\u00e9\\/"], "2": -0,"1": 0.10000000000000000555 }';
    const spelled = itemOf(project).replace(/^\{/, `{"metadata":${raw},`);
    const frame = itemOf(project, { input: '' });
    const large = frame.replace('"input":""', `"input":"${'x'.repeat(LIMITS.itemBytes - frame.length)}"`);
    const results = await resultsOf([` ${spelled} `, large]);
    expect(results.map(comesTo)).toEqual(['queued', 'queued']);
    const [id] = results.flatMap((result) => ('id' in result ? [result.id] : []));
    const headers = { 'x-api-key': project.pipeline.apiKey };
    const text = await (await fetch(`${testEnv.url(1)}/api/public/items/${id}`, { headers })).text();
    expect(text).toContain(`"metadata":${raw}`);
  });
});

describe('a batch as a whole', () => {
  it.each<[string, () => string, ErrorCode, string?]>([
    ['no items', () => batchOf([]), 'validation_failed', '#/items'],
    ['501 items', () => batchOf(Array<string>(501).fill('1')), 'validation_failed', '#/items'],
    ['items that are no list', () => '{"items":{"0":{}}}', 'validation_failed', '#/items'],
    ['a second member', () => `{"items":[1],"project_id":"x"}`, 'validation_failed', '#/project_id'],
    ['its items twice', () => '{"items":[1],"items":[2]}', 'validation_failed', '#/items'],
    ['a list', () => `[${itemOf(project)}]`, 'validation_failed', '#'],
    ['text that is no JSON', () => '{"items":[1,', 'invalid_json'],
    ['one item that is no JSON', () => batchOf([itemOf(project), '{"a":']), 'invalid_json'],
    ['its list closed by a brace', () => `{"items":[${itemOf(project)}}}`, 'invalid_json'],
    ['a comma at the end', () => `{"items":[${itemOf(project)},]}`, 'invalid_json'],
    ['nothing', () => '', 'invalid_json'],
    ['more than 5 MiB', () => batchOf([`"${'x'.repeat(LIMITS.batchBytes)}"`]), 'payload_too_large'],
  ])('with %s is refused', async (_, body, code, pointer) => {
    const before = await countOf(project);
    const answer = await project.pipeline.submitBatchRaw(body());
    if (answer.ok) throw new Error(answer.text);
    expect(answer.problem.code).toBe(code);
    expect(answer.problem.errors?.[0]?.pointer).toBe(pointer);
    expect(await countOf(project)).toBe(before);
  });

  it('takes 500 items, and the same from gzip', async () => {
    const own = await openProject(owner);
    const body = batchOf(Array.from({ length: 500 }, () => itemOf(own)));
    const plain = await own.pipeline.submitBatchRaw(body);
    const headers = { 'content-encoding': 'gzip' };
    const packed = await own.pipeline.submitBatchRaw(gzipSync(body), { headers, process: 1 });
    for (const answer of [plain, packed]) expect(answer.ok && answer.reply.results).toHaveLength(500);
    expect(await countOf(own)).toBe(1000);
  });

  it('counts its 5 MiB after decompression', async () => {
    const bomb = gzipSync(batchOf([`"${'x'.repeat(LIMITS.batchBytes)}"`]));
    expect(bomb.length).toBeLessThan(LIMITS.itemBytes);
    const answer = await project.pipeline.submitBatchRaw(bomb, { headers: { 'content-encoding': 'gzip' } });
    expect(answer).toMatchObject({ status: 413 });
  });
});

describe('one Idempotency-Key over a batch', () => {
  it('creates its items once; a repeat gives the same results, refusals too; another body is 422 (I2)', async () => {
    const own = await openProject(owner);
    const bad = itemOf(own, { confidence: 2 });
    const body = batchOf([itemOf(own), bad, itemOf(own, { confidence: 0.99 }), itemOf(own)]);
    const [first, again] = [
      await own.pipeline.submitBatchRaw(body, { idempotencyKey: 'night-1' }),
      await own.pipeline.submitBatchRaw(body, { idempotencyKey: 'night-1', process: 1 }),
    ];
    const withoutRequest = (text: string) => text.replace(/"request_id":"[^"]+"/g, '');
    expect(withoutRequest(again.text)).toBe(withoutRequest(first.text));
    expect([first, again].map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true']);
    const other = await own.pipeline.submitBatchRaw(batchOf([itemOf(own)]), { idempotencyKey: 'night-1' });
    expect(other).toMatchObject({ status: 422, problem: { code: 'idempotency_key_reused' } });
    const invalid = batchOf([itemOf(own, { confidence: 2 })]);
    const unstorable = await own.pipeline.submitBatchRaw(invalid, { idempotencyKey: 'night-1', process: 1 });
    expect(unstorable).toMatchObject({ status: 422, problem: { code: 'idempotency_key_reused' } });
    expect(await countOf(own)).toBe(2);
  });

  it('of a batch without a valid item stays free for a corrected one', async () => {
    const own = await openProject(owner);
    const invalid = await own.pipeline.submitBatchRaw(batchOf([itemOf(own, { confidence: 2 })]), {
      idempotencyKey: 'night-2',
    });
    expect(invalid.ok && invalid.reply.results.map(comesTo)).toEqual([['validation_failed', '#/items/0/confidence']]);
    const corrected = await own.pipeline.submitBatchRaw(batchOf([itemOf(own)]), { idempotencyKey: 'night-2' });
    expect(corrected.ok && corrected.reply.results.map(comesTo)).toEqual(['queued']);
  });

  it('sent 20 times at once over both processes creates its items once, and is not the key of a single submission', async () => {
    const own = await openProject(owner);
    const body = batchOf(Array.from({ length: 25 }, () => itemOf(own)));
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, process) =>
        own.pipeline.submitBatchRaw(body, { idempotencyKey: 'crowd', process }),
      ),
    );
    const stored = answers.filter((answer) => answer.ok);
    expect(stored.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
    expect(new Set(stored.map(({ text }) => text)).size).toBe(1);
    for (const answer of answers)
      if (!answer.ok) expect(answer.problem.code, answer.text).toBe('idempotency_in_progress');
    expect(await countOf(own)).toBe(25);
    const single = await own.pipeline.submitRaw(itemOf(own), { idempotencyKey: 'crowd' });
    expect(single).toMatchObject({ status: 201 });
    expect(await countOf(own)).toBe(26);
  });
});
