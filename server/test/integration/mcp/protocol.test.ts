// The MCP endpoint below the tools: keys, limits, Origin, versions, bodies that are no message, and what clients leave.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApiKey, revokeApiKey } from '@countersign/shared/routes/projects';
import { callMcp } from '@countersign/shared/routes/public';
import type { RpcReply } from '@countersign/shared/schemas/public';
import { createMemoryLimiter } from '../../../src/limits/memory-limiter.ts';
import { policiesOf } from '../../../src/limits/policies.ts';
import { aSubmission, openProject, type OpenProject } from '../../builders.ts';
import { person } from '../../client.ts';
import { mcpClient } from '../../mcp-client.ts';
import { ask, serve, type Raw, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
let served: Served;
let project: OpenProject;

beforeAll(async () => {
  served = await serve(inside.services);
  project = await openProject(await person(served.testEnv));
});
afterAll(() => served.close());

const VERSION = '2025-11-25';
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const CALL = { jsonrpc: '2.0', id: 7 };

function post(body: unknown, headers: Record<string, string> = {}, on = served): Promise<Raw> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const key = { 'x-api-key': project.pipeline.apiKey };
  return ask(on, { method: 'POST', path: callMcp.path, headers: { ...HEADERS, ...key, ...headers }, body: text });
}
const rpcOf = ({ text }: Raw) => JSON.parse(text) as RpcReply;
const toolCall = (name: string, args: object) => ({ ...CALL, method: 'tools/call', params: { name, arguments: args } });

describe('the endpoint', () => {
  it('admits a key in either header, and refuses a wrong, a revoked and no key alike', async () => {
    const list = { ...CALL, method: 'tools/list' };
    const { apiKey } = project.pipeline;
    expect((await post(list)).status).toBe(200);
    expect((await post(list, { 'x-api-key': '', authorization: `Bearer ${apiKey}` })).status).toBe(401);
    const bearer = (token: string) => ({
      ...{ method: 'POST', path: callMcp.path, body: JSON.stringify(list) },
      headers: { ...HEADERS, authorization: `Bearer ${token}` },
    });
    expect((await ask(served, bearer(apiKey))).status).toBe(200);
    const { owner, id } = project;
    const gone = await owner.call(createApiKey, { params: { id }, body: { name: 'Gone' } });
    await owner.call(revokeApiKey, { params: { id, key_id: gone.id }, body: undefined });
    const answers = await Promise.all(
      [`csk_${'a'.repeat(38)}`, gone.api_key, 'x'].map((key) => ask(served, bearer(key))),
    );
    for (const { status, text, headers } of answers) {
      expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
      expect(JSON.parse(text)).toMatchObject({ code: 'api_key_invalid' });
    }
    const nothing = await ask(served, { method: 'POST', path: callMcp.path, headers: HEADERS, body: '{}' });
    expect(JSON.parse(nothing.text)).toMatchObject({ code: 'api_key_missing' });
  });

  it('is the only one that takes a bearer token', async () => {
    const headers = { authorization: `Bearer ${project.pipeline.apiKey}` };
    expect((await ask(served, { method: 'GET', path: '/api/public/items', headers })).status).toBe(401);
  });

  it('MC2: refuses the Origin of any other page, before it looks at the key', async () => {
    const list = { ...CALL, method: 'tools/list' };
    expect((await post(list, { origin: inside.services.baseUrl })).status).toBe(200);
    for (const origin of ['https://evil.test', 'null', `${inside.services.baseUrl}.evil.test`]) {
      const { status, text } = await post(list, { origin, 'x-api-key': 'csk_nonsense' });
      expect([status, JSON.parse(text)]).toEqual([403, expect.objectContaining({ code: 'origin_refused' })]);
    }
  });

  it('MC1: has no stream and no session: GET and DELETE are refused', async () => {
    for (const method of ['GET', 'DELETE']) {
      const { status, headers } = await ask(served, { method, path: callMcp.path, headers: HEADERS });
      expect([status, headers.get('allow')]).toEqual([405, 'POST']);
    }
    const started = await post({ ...CALL, method: 'initialize', params: handshake(VERSION) });
    expect(started.headers.get('mcp-session-id')).toBeNull();
    expect(started.headers.get('content-type')).toMatch(/^application\/json/);
  });

  it('counts each message against the rate limit of the key', async () => {
    const strict = await serve({ ...inside.services, limiter: createMemoryLimiter(policiesOf(1), inside.clock) });
    expect((await post({ ...CALL, method: 'ping' }, {}, strict)).status).toBe(200);
    const { status, headers } = await post({ ...CALL, method: 'ping' }, {}, strict);
    expect([status, Number(headers.get('retry-after')) > 0]).toEqual([429, true]);
    const headersOfClient = { 'x-api-key': project.pipeline.apiKey };
    await expect(mcpClient({ testEnv: strict.testEnv, headers: headersOfClient })).rejects.toThrow('rate_limited');
    await strict.close();
  });

  it('reads at most one item and its envelope', async () => {
    const large = await post(toolCall('request_review', { input: 'x'.repeat(280 * 1024) }));
    expect(large.status).toBe(413);
    for (const a of ['x'.repeat(17 * 1024), '€'.repeat(6 * 1024)]) {
      const envelope = await post({ ...CALL, method: 'ping', params: { _meta: { a } } });
      expect(JSON.parse(envelope.text)).toMatchObject({ code: 'payload_too_large' });
    }
    expect((await post('{}', { 'content-type': 'text/plain' })).status).toBe(415);
  });
});

const handshake = (protocolVersion: string) => ({
  ...{ protocolVersion, capabilities: {} },
  clientInfo: { name: 'test', version: '1' },
});

it.each([
  ['*/*', 200],
  ['application/json', 200],
  ['text/event-stream, application/json;q=0.5', 200],
  ['text/html', 406],
  ['text/event-stream', 406],
])('a client that accepts %s is answered with %i', async (accept, status) => {
  const answer = await post({ ...CALL, method: 'ping' }, { accept });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'application/json; charset=utf-8']);
});

describe('the version of the protocol', () => {
  it.each([
    ['2025-11-25', '2025-11-25'],
    ['2025-06-18', '2025-06-18'],
    ['2025-03-26', '2025-11-25'],
    ['1999-01-01', '2025-11-25'],
  ])('a client that offers %s is answered with %s', async (offered, answered) => {
    const { result } = rpcOf(await post({ ...CALL, method: 'initialize', params: handshake(offered) }));
    expect(result).toMatchObject({ protocolVersion: answered, capabilities: { tools: {} } });
  });

  it('is refused in the header of a message where it is unknown', async () => {
    expect((await post({ ...CALL, method: 'tools/list' }, { 'mcp-protocol-version': '1999-01-01' })).status).toBe(400);
  });
});

describe('an invalid message', () => {
  it.each<[string, unknown, number, number]>([
    ['no JSON', '{"jsonrpc":', 400, -32_700],
    [
      'no JSON in its arguments',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"check_review","arguments":{]}}',
      400,
      -32_700,
    ],
    ['no object', '"hello"', 400, -32_600],
    ['a batch', [{ ...CALL, method: 'ping' }], 400, -32_600],
    ['an unknown member', { ...CALL, method: 'ping', extra: 1 }, 400, -32_600],
    ['no method', CALL, 400, -32_600],
    ['an id that is no integer', { ...CALL, id: 1.5, method: 'ping' }, 400, -32_600],
    ['a doubled member', '{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}', 400, -32_600],
    [
      'doubled arguments',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"check_review","arguments":{},"arguments":{"id":1}}}',
      400,
      -32_600,
    ],
    [
      'a deep one',
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'{"a":'.repeat(40)}1${'}'.repeat(40)}}`,
      400,
      -32_600,
    ],
    ['a subscription', { ...CALL, method: 'subscriptions/listen' }, 404, -32_601],
    ['an unknown method', { ...CALL, method: 'resources/list' }, 200, -32_601],
  ])('%s', async (_, body, status, code) => {
    const answer = await post(body);
    expect([answer.status, rpcOf(answer).error?.code], answer.text).toEqual([status, code]);
  });

  it.each([
    ['{"jsonrpc":"2.0","method":"ping",}', 34],
    ['{"jsonrpc":"2.0","method":"tools/call","params":{"name":"check_review","arguments":{"id":]}}}', 90],
  ])('IJ1: %s is located in the whole body', async (body, column) => {
    expect(rpcOf(await post(body)).error?.message).toContain(`line 1, column ${column} `);
  });

  it('nests arguments as deep as a submission may be', async () => {
    const deep = (levels: number) => `${'['.repeat(levels)}1${']'.repeat(levels)}`;
    const body = (levels: number) =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"input":${deep(levels)},"suggestion":"a","confidence":1},"name":"request_review"}}`;
    expect(rpcOf(await post(body(32))).result).toMatchObject({ structuredContent: { status: 'auto_approved' } });
    expect(rpcOf(await post(body(33))).result).toMatchObject({ isError: true });
  });

  it('a notification has no answer', async () => {
    const { status, text } = await post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect([status, text]).toEqual([202, '']);
  });
});

it('I7: stores and returns JSON byte for byte, and passes the trace on', async () => {
  const input = '{ "b":1.50, "10":1e2,  "a":[1.0] }';
  const trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const args = `{"input": ${input} ,"suggestion":"a","confidence":0.8,"metadata":{"n":1.0}}`;
  const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"request_review","arguments":${args}}}`;
  const { id } = rpcOf(await post(call, { traceparent: trace })).result?.structuredContent as { id: string };
  const stored = await inside.sql('select input, traceparent from item where id = ?', [id]);
  expect(stored).toEqual([{ input, traceparent: trace }]);
  const { text } = await post(toolCall('check_review', { id }));
  expect(text).toContain(`"structuredContent":{"id":"${id}"`);
  expect(text).toContain(`"input":${input},`);
  expect(text).toContain('"metadata":{"n":1.0}');
});

describe('an agent that waits', () => {
  it('frees its slot when it disconnects', async () => {
    const { id } = await project.pipeline.submit(aSubmission());
    const leaving = new AbortController();
    const waiting = fetch(served.testEnv.url() + callMcp.path, {
      ...{ method: 'POST', signal: leaving.signal },
      headers: { ...HEADERS, 'x-api-key': project.pipeline.apiKey },
      body: JSON.stringify(toolCall('check_review', { id, wait_seconds: 55 })),
    });
    await expect.poll(() => inside.services.waiters.taken).toBe(1);
    leaving.abort();
    await expect(waiting).rejects.toThrow('abort');
    await expect.poll(() => inside.services.waiters.taken).toBe(0);
  });

  it('K4: gets nothing with a key that was revoked meanwhile', async () => {
    const { owner } = project;
    const params = { id: project.id };
    const key = await owner.call(createApiKey, { params, body: { name: 'Leaving' } });
    const { id } = await project.pipeline.submit(aSubmission());
    const waiting = post(toolCall('check_review', { id, wait_seconds: 55 }), { 'x-api-key': key.api_key });
    await expect.poll(() => inside.services.waiters.taken).toBe(1);
    await owner.call(revokeApiKey, { params: { ...params, key_id: key.id }, body: undefined });
    inside.services.waiters.releaseByKey(key.id);
    const { result } = rpcOf(await waiting);
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('api_key_invalid') as string }],
    });
  });
});

it('MC3, LG1: a refusal of a tool is in the security log, as one of a route would be', async () => {
  const noted: object[] = [];
  const security = {
    ...inside.services.security,
    note: (event: string, fields: object) => noted.push({ event, ...fields }),
  };
  const watched = await serve({ ...inside.services, security });
  await post(toolCall('check_review', { id: '0197f1a0-0000-7000-8000-000000000001' }), {}, watched);
  expect(noted).toEqual([expect.objectContaining({ event: 'project', code: 'not_found', path: callMcp.path })]);
  await watched.close();
});

it('a failure inside is a refusal that names the request, and an error in the log', async () => {
  const intake = { submit: () => Promise.reject(new Error('broken')) };
  const broken = await serve({ ...inside.services, intake });
  const answer = await post(toolCall('request_review', aSubmission()), { 'x-request-id': 'mine' }, broken);
  const { content } = rpcOf(answer).result as { content: { text: string }[] };
  expect(JSON.parse(content[0]?.text ?? '')).toMatchObject({ code: 'internal', request_id: 'mine' });
  expect(answer.text).not.toContain('broken');
  expect(broken.failures).toMatchObject([{ err: { message: 'broken' } }]);
  await broken.close();
});
