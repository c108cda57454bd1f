// The tools by stdio: what their refusals say, and what a lost answer leaves in the hands of the agent.
import { describe, expect, it } from 'vitest';
import { ApiError, NetworkError } from '../../../shared/src/client.ts';
import type { FieldError } from '../../../shared/src/errors.ts';
import type { ToolFault } from '../../../shared/src/mcp/results.ts';
import type { ToolName } from '../../../shared/src/mcp/tools.ts';
import { type ReviewService, runTool } from './run-tool.ts';

const ID = '0198c5a0-0000-7000-8000-000000000001';
const ITEM = { input: 1, suggestion: 'Yes.', confidence: 0.5 };

/** A service that answers each submission by `answer`; `keys` are the idempotency keys that it saw. */
function serviceThat(answer: () => Promise<{ id: string }>) {
  const keys: unknown[] = [];
  const submit = (_item: unknown, { idempotencyKey }: { idempotencyKey?: string }) => {
    keys.push(idempotencyKey);
    return answer();
  };
  const service = { client: { submit, item: answer, withdraw: answer }, projectId: ID, baseUrl: 'https://x.example' };
  return { service: service as unknown as ReviewService, keys };
}

const lost = () => Promise.reject(new NetworkError('ECONNRESET', null));
const refusedWith =
  (status: number, code: string, more = {}) =>
  () => {
    const text = JSON.stringify({ code, detail: 'Because.', ...more });
    return Promise.reject(new ApiError({ status, text, header: () => null, retryAfter: null }));
  };
/** The last of two requests, the first of which may have been stored. */
const secondRefusedWith = (status: number, code: string) => async () => {
  const error = await refusedWith(status, code)().catch((reason: unknown) => reason as ApiError);
  error.tries = 2;
  throw error;
};
const stored = () => Promise.resolve({ id: ID, status: 'queued', decision: null });

async function faultOf(service: ReviewService, name: ToolName, args: Record<string, unknown>): Promise<ToolFault> {
  const { isError, content } = await runTool(service, { name, args, signal: new AbortController().signal });
  const [first] = content;
  if (isError !== true || first?.type !== 'text') throw new Error('The tool was not refused.');
  return JSON.parse(first.text) as ToolFault;
}

describe('a submission whose answer is lost', () => {
  it.each([
    ['by the connection', lost],
    ['by a proxy', refusedWith(502, 'http_502')],
    ['by the service', refusedWith(500, 'internal')],
    ['while the first request with its key is running', refusedWith(409, 'idempotency_in_progress')],
    ['before a rate limit', refusedWith(429, 'rate_limited')],
    ['before a revoked key', secondRefusedWith(401, 'api_key_invalid')],
  ])('returns the key with which to repeat it: %s', async (_, answer) => {
    const { service, keys } = serviceThat(answer);
    const first = await faultOf(service, 'request_review', ITEM);
    expect(first.idempotency_key).toMatch(/^[0-9a-f]{32}$/);
    expect(first.detail).toMatch(/It may have been stored: repeat the call .* idempotency_key[.]$/);
    const again = await faultOf(service, 'request_review', { ...ITEM, idempotency_key: first.idempotency_key });
    expect(again.idempotency_key).toBe(first.idempotency_key);
    expect(keys).toEqual([first.idempotency_key, first.idempotency_key]);
  });

  it('is told from one that was refused, and from other tools', async () => {
    const { service } = serviceThat(refusedWith(422, 'validation_failed'));
    expect(await faultOf(service, 'request_review', ITEM)).toEqual({
      ...{ code: 'validation_failed', detail: 'Because.', request_id: null },
    });
    const check = await faultOf(serviceThat(lost).service, 'check_review', { id: ID });
    expect(check).toMatchObject({
      code: 'unavailable',
      detail: expect.stringMatching(/Try again later[.]$/) as string,
    });
    expect(check).not.toHaveProperty('idempotency_key');
  });
});

it('a refusal that is about the state of an item has the item', async () => {
  const item = { id: ID, status: 'expired', decision: null };
  const { service } = serviceThat(refusedWith(409, 'expired', { item }));
  expect(await faultOf(service, 'withdraw_review', { id: ID })).toEqual({
    ...{ code: 'expired', detail: 'Because.', request_id: null, item },
  });
});

describe('arguments that are refused', () => {
  const { service, keys } = serviceThat(stored);

  it.each<[string, ToolName, Record<string, unknown>, Omit<FieldError, 'detail'>]>([
    [
      'a misspelt field',
      'request_review',
      { ...ITEM, risk_flag: [] },
      { pointer: '#/risk_flag', code: 'unknown_field' },
    ],
    [
      'a missing field',
      'request_review',
      { ...ITEM, confidence: undefined },
      { pointer: '#/confidence', code: 'required' },
    ],
    ['no id', 'check_review', { id: 'demo' }, { pointer: '#/id', code: 'invalid_format' }],
    [
      'a large integer',
      'request_review',
      { ...ITEM, input: { a: [2 ** 53] } },
      { pointer: '#/input/a/0', code: 'number_too_large' },
    ],
    [
      'its negative',
      'request_review',
      { ...ITEM, input: -(2 ** 53) },
      { pointer: '#/input', code: 'number_too_large' },
    ],
    [
      'an infinite one',
      'request_review',
      { ...ITEM, input: { 'a/b': Infinity } },
      { pointer: '#/input/a~1b', code: 'number_too_large' },
    ],
  ])('have the pointers and codes of the public API: %s', async (_, name, args, expected) => {
    const { errors, detail } = await faultOf(service, name, args);
    expect(errors).toEqual([{ ...expected, detail: expect.any(String) as string }]);
    expect(detail).toBe(`${expected.pointer}: ${errors?.[0]?.detail}`);
    expect(keys).toEqual([]);
  });

  it('say how many large numbers are not listed', async () => {
    const { errors } = await faultOf(service, 'request_review', { ...ITEM, input: Array(23).fill(2 ** 60) });
    expect(errors).toHaveLength(20);
    expect(errors?.at(-1)?.detail).toMatch(/Send it as text[.] 3 more are not listed[.]$/);
  });

  it('do not include the largest exact integer, or deep JSON', async () => {
    let deep: unknown = Number.MAX_SAFE_INTEGER;
    for (let depth = 0; depth < 1000; depth += 1) deep = [deep];
    const call = { name: 'request_review' as const, args: { ...ITEM, input: deep } };
    const result = await runTool(service, { ...call, signal: new AbortController().signal });
    expect(result.structuredContent).toMatchObject({ id: ID, status: 'queued' });
  });
});
