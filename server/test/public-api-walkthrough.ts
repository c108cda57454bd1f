// Walks through the public API as an external client: every operation, and every refusal that a request can cause.
import { createHmac, randomUUID } from 'node:crypto';
import { beginRegression, listRegressionCases } from '@countersign/shared/routes/regressions';
import { createInboundSource } from '@countersign/shared/routes/inbound';
import { HEADERS, signWebhook } from '@countersign/shared/webhook';
import { encodeSeq } from '../src/usecases/cursor.ts';
import { aSubmission, type OpenProject } from './builders.ts';

/** One request of the walk. */
export interface Step {
  /** The operation it is meant for, as the OpenAPI document names it. */
  operationId: string;
  /** What it shows. */
  name: string;
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string;
  /** The status that it is answered with. */
  status: number;
  /** The server answers it, although the document does not allow it. */
  invalid?: true;
}

type Part = Partial<Step> & Pick<Step, 'name' | 'status'>;

const JSON_TYPE = { 'content-type': 'application/json' };
const UNKNOWN_ID = '0197f1a0-0000-7000-8000-000000000001';

/** The requests, in order. `itemId` names an item of the project, which has a learning; they are for a project with the default thresholds. */
export async function walkPublicApi(project: OpenProject, itemId: string): Promise<Step[]> {
  const source = await project.owner.call(createInboundSource, { params: { id: project.id }, body: { name: 'Tour' } });
  const sender = { path: new URL(source.url).pathname, secret: source.inbound_secret };
  return [...submitting(project), ...batches(project), ...reading(project, itemId), ...listing(project)]
    .concat(await withdrawing(project, itemId))
    .concat(agents(project, itemId))
    .concat(await regressions(project))
    .concat(await inbound(project, sender))
    .concat(stepsOf('readOpenApi', { path: '/api/public/openapi.json' }, [{ name: 'the document', status: 200 }]));
}

const stepsOf = (operationId: string, common: Partial<Step> & Pick<Step, 'path'>, parts: Part[]): Step[] =>
  parts.map((part) => ({
    operationId,
    method: 'GET',
    ...common,
    ...part,
    headers: { ...common.headers, ...part.headers },
  }));

/** A submission as text; the overrides may make it wrong. */
function item({ id }: OpenProject, overrides: object = {}): string {
  return JSON.stringify({ project_id: id, input: { q: 1 }, suggestion: 'yes', confidence: 0.8, ...overrides });
}

function submitting(project: OpenProject): Step[] {
  const headers = { ...JSON_TYPE, 'x-api-key': project.pipeline.apiKey };
  const full = { risk_flags: ['legal'], metadata: { model: 'm', deep: [{ a: null }] }, suggestion: { a: [1, true] } };
  const until = { deadline: new Date(Date.now() + 3_600_000).toISOString(), on_deadline: 'escalate' };
  const key = { 'idempotency-key': randomUUID() };
  const body = item(project);
  return stepsOf('submitItem', { method: 'POST', path: '/api/public/items', headers, body }, [
    { name: 'queued', status: 201 },
    { name: 'auto-approved', status: 201, body: item(project, { confidence: 1 }) },
    { name: 'rejected by its routing', status: 201, body: item(project, { confidence: 0 }) },
    { name: 'with everything', status: 201, body: item(project, full) },
    { name: 'with seconds until its deadline', status: 201, body: item(project, { deadline_seconds: 3600 }) },
    { name: 'with a time as its deadline', status: 201, body: item(project, until) },
    { name: 'without a deadline', status: 201, body: item(project, { deadline: null }) },
    { name: 'two deadlines', status: 422, body: item(project, { ...until, deadline_seconds: 3600 }) },
    { name: 'asked to wait', status: 201, headers: { prefer: 'wait=1' }, body: item(project, { confidence: 1 }) },
    { name: 'with a key', status: 201, headers: key },
    { name: 'repeated', status: 201, headers: key },
    { name: 'another body', status: 422, headers: key, body: item(project, { confidence: 0.7 }) },
    { name: 'an endless key', status: 400, headers: { 'idempotency-key': 'x'.repeat(256) } },
    { name: 'no JSON', status: 400, body: '{"project_id":' },
    { name: 'no text', status: 415, headers: { 'content-type': 'text/plain' } },
    { name: 'no key', status: 401, headers: { 'x-api-key': '' } },
    { name: 'a wrong key', status: 401, headers: { 'x-api-key': 'csk_nonsense' } },
    { name: 'another project', status: 403, body: item(project, { project_id: UNKNOWN_ID }) },
    { name: 'two faults', status: 422, body: item(project, { confidence: 2, risk_flag: ['legal'] }) },
    { name: 'too large', status: 413, body: item(project, { input: 'x'.repeat(256 * 1024) }) },
  ]);
}

function batches(project: OpenProject): Step[] {
  const headers = { ...JSON_TYPE, 'x-api-key': project.pipeline.apiKey };
  const key = { 'idempotency-key': randomUUID() };
  const other = item(project, { project_id: UNKNOWN_ID });
  const late = { deadline: '2020-01-01T00:00:00Z', on_deadline: 'reject' };
  const body = `{"items":[${item(project)},${other},${item(project, { confidence: 1 })}]}`;
  return stepsOf('submitBatch', { method: 'POST', path: '/api/public/items/batch', headers, body }, [
    { name: 'one of three is refused', status: 200, headers: key },
    { name: 'repeated', status: 200, headers: key },
    { name: 'another body', status: 422, headers: key, body: `{"items":[${item(project)}]}` },
    { name: 'a faulty item', status: 200, invalid: true, body: `{"items":[${item(project, { confidence: 2 })}]}` },
    { name: 'a deadline that has passed', status: 200, body: `{"items":[${item(project, late)}]}` },
    { name: 'no items', status: 422, body: '{"items":[]}' },
    { name: 'no JSON', status: 400, body: '{"items":[' },
    { name: 'no key', status: 401, headers: { 'x-api-key': '' } },
    { name: 'no text', status: 415, headers: { 'content-type': 'text/plain' } },
  ]);
}

function reading(project: OpenProject, itemId: string): Step[] {
  const headers = { 'x-api-key': project.pipeline.apiKey };
  const at = (id: string, query = '') => `/api/public/items/${id}${query}`;
  return stepsOf('readItem', { path: at(itemId), headers }, [
    { name: 'an item', status: 200 },
    { name: 'asked to wait', status: 200, path: at(itemId, '?wait=1') },
    { name: 'nobody’s item', status: 404, path: at(UNKNOWN_ID) },
    { name: 'no id', status: 400, path: at('demo') },
    { name: 'an endless wait', status: 422, path: at(itemId, '?wait=61') },
    { name: 'no key', status: 401, headers: { 'x-api-key': '' } },
  ]);
}

/** `decidedId` has a decision. */
async function withdrawing(project: OpenProject, decidedId: string): Promise<Step[]> {
  const { id } = await project.pipeline.submit(aSubmission());
  const headers = { ...JSON_TYPE, 'x-api-key': project.pipeline.apiKey };
  const at = (itemId: string) => `/api/public/items/${itemId}/withdraw`;
  return stepsOf('withdrawItem', { method: 'POST', path: at(id), headers, body: '{}' }, [
    { name: 'with a reason', status: 200, body: '{"reason":"Cancelled"}' },
    { name: 'repeated', status: 200 },
    { name: 'a decided item', status: 409, path: at(decidedId) },
    { name: 'nobody’s item', status: 404, path: at(UNKNOWN_ID) },
    { name: 'no id', status: 400, path: at('demo') },
    { name: 'an unknown member', status: 422, body: '{"why":"x"}' },
    { name: 'no JSON', status: 400, body: '{' },
    { name: 'no text', status: 415, headers: { 'content-type': 'text/plain' } },
    { name: 'no key', status: 401, headers: { 'x-api-key': '' } },
  ]);
}

function agents(project: OpenProject, itemId: string): Step[] {
  const headers = { ...JSON_TYPE, 'x-api-key': project.pipeline.apiKey, accept: 'application/json, text/event-stream' };
  const rpc = (method: string, params = {}) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const tool = (name: string, args: object) => rpc('tools/call', { name, arguments: args });
  const large = tool('request_review', { input: 'x'.repeat(300 * 1024) });
  const repeated = tool('request_review', { ...aSubmission(), idempotency_key: randomUUID() });
  return stepsOf('callMcp', { method: 'POST', path: '/api/public/mcp', headers, body: rpc('tools/list') }, [
    { name: 'the tools', status: 200 },
    { name: 'an item', status: 200, body: repeated },
    { name: 'repeated', status: 200, body: repeated },
    { name: 'its state', status: 200, body: tool('check_review', { id: itemId }) },
    { name: 'a refusal', status: 200, body: tool('withdraw_review', { id: itemId }) },
    { name: 'an unknown tool', status: 200, body: tool('approve_review', {}) },
    { name: 'another page', status: 403, headers: { origin: 'https://evil.test' } },
    { name: 'no text', status: 415, headers: { 'content-type': 'text/plain' } },
    { name: 'no key', status: 401, headers: { 'x-api-key': '' } },
    { name: 'a wrong key', status: 401, headers: { 'x-api-key': 'csk_nonsense' } },
    { name: 'too large', status: 413, body: large },
  ]);
}

function listing(project: OpenProject): Step[] {
  const headers = { 'x-api-key': project.pipeline.apiKey };
  const items = (query: string) => `/api/public/items?${query}`;
  const events = (query: string) => `/api/public/events?${query}`;
  return [
    ...stepsOf('listItems', { path: items(''), headers }, [
      { name: 'a page', status: 200 },
      { name: 'a short page', status: 200, path: items('limit=1') },
      { name: 'a filter', status: 200, path: items('status=queued&since=2020-01-01T00:00:00Z') },
      { name: 'what expired', status: 200, path: items('status=expired') },
      { name: 'a page too large', status: 422, path: items('limit=101') },
      { name: 'an unknown filter', status: 422, path: items('colour=red') },
      { name: 'no cursor', status: 400, path: items('after=nonsense') },
      { name: 'no key', status: 401, headers: { 'x-api-key': '' } },
    ]),
    ...stepsOf('listEvents', { path: events(''), headers }, [
      { name: 'a page', status: 200 },
      { name: 'a page too large', status: 422, path: events('limit=101') },
      { name: 'no cursor', status: 400, path: events('after=nonsense') },
      { name: 'no key', status: 401, headers: { 'x-api-key': '' } },
    ]),
  ];
}

async function regressions(project: OpenProject): Promise<Step[]> {
  const params = { id: project.id };
  const { id } = await project.owner.call(beginRegression, { params, body: {} });
  const { data } = await project.owner.call(listRegressionCases, { params: { ...params, regression_id: id } });
  const [keyed, nobodys] = [{ 'x-api-key': project.pipeline.apiKey }, '/api/public/regressions/' + UNKNOWN_ID];
  const headers = { ...JSON_TYPE, ...keyed };
  const [path, unknown] = ['/api/public/regressions', { name: 'no key', status: 401, headers: { 'x-api-key': '' } }];
  const answer = { case_id: data[0]?.id, suggestion: { a: 1 }, confidence: 0.5, risk_flags: ['x'] };
  const key = { 'idempotency-key': randomUUID() };
  const answers = (...items: object[]) => JSON.stringify({ items });
  return [
    ...stepsOf('startRegression', { method: 'POST', path, headers, body: '{}' }, [
      { name: 'over everything', status: 201 },
      { name: 'with a title', status: 201, body: '{"title":"v2","action":"edit"}' },
      { name: 'with a key', status: 201, headers: key },
      { name: 'repeated', status: 201, headers: key },
      { name: 'its key with another body', status: 422, headers: key, body: '{"title":"v3"}' },
      { name: 'over nobody’s cluster', status: 404, body: `{"cluster_id":"${UNKNOWN_ID}"}` },
      { name: 'over nothing', status: 422, body: '{"model":"none has it"}' },
      { name: 'no JSON', status: 400, body: '{' },
      unknown,
    ]),
    ...stepsOf('readRegression', { path: `${path}/${id}`, headers: keyed }, [
      { name: 'a run', status: 200 },
      { name: 'nobody’s run', status: 404, path: nobodys },
      { name: 'no id', status: 400, path: `${path}/demo` },
      unknown,
    ]),
    ...stepsOf('listCases', { path: `${path}/${id}/cases`, headers: keyed }, [
      { name: 'a page', status: 200 },
      { name: 'what has no answer', status: 200, path: `${path}/${id}/cases?unanswered=true&limit=1` },
      { name: 'a page too large', status: 422, path: `${path}/${id}/cases?limit=101` },
      { name: 'no cursor', status: 400, path: `${path}/${id}/cases?after=nonsense` },
      {
        name: 'a place that no run has',
        status: 200,
        path: `${path}/${id}/cases?after=${encodeSeq(999_999_999_999_999)}`,
      },
      { name: 'nobody’s run', status: 404, path: `${nobodys}/cases` },
      unknown,
    ]),
    ...stepsOf('answerCases', { method: 'POST', path: `${path}/${id}/answers`, headers, body: answers(answer) }, [
      { name: 'an answer', status: 200 },
      { name: 'nobody’s case', status: 200, body: answers(answer, { ...answer, case_id: UNKNOWN_ID }) },
      { name: 'no answers', status: 422, body: '{"items":[]}' },
      { name: 'nobody’s run', status: 404, path: `${nobodys}/answers` },
      { name: 'no text', status: 415, headers: { 'content-type': 'text/plain' } },
      unknown,
    ]),
  ];
}

async function inbound(project: OpenProject, { path, secret }: { path: string; secret: string }): Promise<Step[]> {
  const send = (name: string, status: number, body: string, part: Partial<Step> = {}): Part => {
    const signature = createHmac('sha256', secret).update(body).digest('hex');
    return { name, status, body, ...part, headers: { 'x-webhook-signature': signature, ...part.headers } };
  };
  const body = item(project, { project_id: undefined });
  const other = item(project, { project_id: undefined, confidence: 0.9 });
  const message = { id: randomUUID(), timestamp: Math.floor(Date.now() / 1000), attempt: 1, body: other };
  const { [HEADERS.signature]: _, ...trio } = await signWebhook(message, [secret]);
  return stepsOf('receiveInbound', { method: 'POST', path, headers: JSON_TYPE }, [
    send('signed', 201, body),
    send('repeated', 200, body),
    { name: 'signed the standard way', status: 201, body: other, headers: trio },
    send('another body', 201, item(project, { confidence: 1 })),
    send('no signature', 401, body, { headers: { 'x-webhook-signature': '' } }),
    send('a wrong signature', 401, body, { headers: { 'x-webhook-signature': 'a'.repeat(64) } }),
    send('no source', 401, body, { path: '/api/public/inbound/nobody' }),
    send('another project', 403, item(project, { project_id: UNKNOWN_ID })),
    send('no JSON', 400, '{"input":'),
    send('two faults', 422, item(project, { confidence: 2, risk_flag: ['legal'] })),
    send('too large', 413, item(project, { input: 'x'.repeat(256 * 1024) })),
    send('no text', 415, body, { headers: { 'content-type': 'text/plain' } }),
  ]);
}
