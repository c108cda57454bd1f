// The contract client: URLs, bodies, and every way a call can fail.
import { claimNext, decideItem, listQueue, readQueueItem } from '@countersign/shared/routes/queue';
import { readSession, verify } from '@countersign/shared/routes/session';
import { changeProject } from '@countersign/shared/routes/projects';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { RawJson, type Json } from '@countersign/shared/json/json';
import { addressOf, ApiProblem, call, checkFile, NetworkFailure, readFile, whenSessionMissing } from './client.ts';
import { fieldFaults } from './explain-error.ts';
import { printJson } from '../values/json/lossless.ts';

const ID = '5d0c41f7-28a9-4e36-8b1d-7a90e3f6c2e1';

function answer(status: number, body: unknown, headers: Record<string, string> = {}) {
  const type = status < 400 ? 'application/json' : 'application/problem+json';
  const text = body === undefined ? null : JSON.stringify(body);
  return vi.fn(async () => new Response(text, { status, headers: { 'content-type': type, ...headers } }));
}

function stub(fetching: ReturnType<typeof answer>) {
  vi.stubGlobal('fetch', fetching);
  return fetching;
}

afterEach(() => vi.unstubAllGlobals());

describe('requests', () => {
  it('fill the path, escape it, and omit missing parameters', () => {
    expect(addressOf('/api/items/:id/claim', { params: { id: 'a/b' } })).toBe('/api/items/a%2Fb/claim');
    expect(addressOf('/api/queue', { query: { view: 'mine', project_id: undefined, limit: 5 } })).toBe(
      '/api/queue?view=mine&limit=5',
    );
  });

  it('declare JSON on every change, because a form of another site cannot', async () => {
    const fetching = stub(answer(200, {}));
    await call(changeProject, { params: { id: ID }, body: { settings_version: 3, name: 'x' } });
    expect(fetching).toHaveBeenCalledWith(
      `/api/projects/${ID}`,
      expect.objectContaining({
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: '{"settings_version":3,"name":"x"}',
      }),
    );
  });

  it('send the body that is given, and none where it is optional', async () => {
    const fetching = stub(answer(204, undefined));
    await call(claimNext, { body: { project_id: ID } });
    expect(fetching).toHaveBeenLastCalledWith(
      '/api/queue/claim-next',
      expect.objectContaining({ body: `{"project_id":"${ID}"}` }),
    );
    expect(await call(claimNext)).toBeUndefined();
    expect(fetching).toHaveBeenLastCalledWith(
      '/api/queue/claim-next',
      expect.not.objectContaining({ body: expect.anything() as unknown }),
    );
  });
});

describe('values a pipeline submitted', () => {
  it('are received and sent again with their numbers in the original spelling', async () => {
    const sent = '{"suggestion":{"b":1.0,"10":"x","2":0.12345678901234567890}}';
    const fetching = vi.fn(async () => new Response(sent, { headers: { 'content-type': 'application/json' } }));
    vi.stubGlobal('fetch', fetching);
    const { suggestion } = await call(readQueueItem, { params: { id: ID } });
    expect(printJson(suggestion, 0)).toBe('{"b":1.0,"10":"x","2":0.12345678901234567890}');
    const output = new RawJson(printJson(suggestion, 0)) as unknown as Json;
    await call(decideItem, { params: { id: ID }, body: { fence: 1, action: 'edit', output } });
    expect(fetching).toHaveBeenLastCalledWith(
      expect.anything(),
      expect.objectContaining({
        body: '{"fence":1,"action":"edit","output":{"b":1.0,"10":"x","2":0.12345678901234567890}}',
      }),
    );
  });
});

describe('errors', () => {
  const failure = (promise: Promise<unknown>) =>
    promise.then(
      () => undefined,
      (error: unknown) => error,
    );

  it('carry the problem with its code, faults, holder and waiting time', async () => {
    const body = {
      title: 'Someone else has claimed this item',
      status: 409,
      detail: 'Ana holds it.',
      code: 'claim_held',
      request_id: 'r1',
      holder: { user_id: ID, name: 'Ana' },
      expires_at: '2026-11-20T14:02:31.000Z',
      errors: [{ pointer: '#/webhook_url', code: 'private', detail: 'Use a public address.' }],
    };
    stub(answer(409, body, { 'retry-after': '7' }));
    const error = await failure(call(claimNext));
    expect(error).toBeInstanceOf(ApiProblem);
    expect(error).toMatchObject({ ...body, retryAfter: 7 });
    expect(fieldFaults(error)).toEqual({ webhook_url: 'Use a public address.' });
  });

  it('make a problem of an answer that is not from our server', async () => {
    stub(vi.fn(async () => new Response('<h1>Bad gateway</h1>', { status: 502 })));
    expect(await failure(call(listQueue))).toMatchObject({ code: 'unavailable', status: 502, request_id: null });
  });

  it('distinguish an unreachable server, a slow one, and an abort', async () => {
    stub(vi.fn(() => Promise.reject(new TypeError('fetch failed'))));
    const unreachable = await failure(call(readSession));
    expect(unreachable).toBeInstanceOf(NetworkFailure);
    expect(unreachable).toMatchObject({ kind: 'unreachable' });

    vi.stubGlobal('fetch', hanging);
    expect(await failure(call(readSession, { timeoutMs: 1 }))).toMatchObject({ kind: 'timeout' });

    const reason = new Error('The user left the page.');
    expect(await failure(call(readSession, { signal: AbortSignal.abort(reason) }))).toBe(reason);
  });

  it('notify the session when it is missing, not about another 401', async () => {
    const missing = vi.fn();
    const stop = whenSessionMissing(missing);
    stub(answer(401, { code: 'signature_invalid', status: 401 }));
    const body = { challenge_id: ID, address: 'a', signed_message: 'b', signature: 'c' };
    await failure(call(verify, { body }));
    expect(missing).not.toHaveBeenCalled();
    stub(answer(401, { code: 'session_missing', status: 401 }));
    await failure(call(listQueue));
    expect(missing).toHaveBeenCalledOnce();
    stop();
    await failure(call(listQueue));
    expect(missing).toHaveBeenCalledOnce();
  });
});

const hanging = (_: string, { signal }: { signal: AbortSignal }): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.throwIfAborted();
    signal.addEventListener('abort', () => reject(new Error('aborted')));
  });

describe('a file', () => {
  const FILE = `/api/items/${ID}/media`;

  it('is read with a time limit, from the cache of the browser where that has it', async () => {
    const fetching = stub(answer(200, 'x'));
    expect(await (await readFile(FILE)).text()).toBe('"x"');
    const signal = expect.any(AbortSignal) as unknown;
    expect(fetching).toHaveBeenCalledWith(FILE, expect.objectContaining({ method: 'GET', cache: 'default', signal }));
  });

  it.each([readFile, checkFile])('reports a session that has ended: %o', async (request) => {
    const missing = vi.fn();
    const stop = whenSessionMissing(missing);
    stub(answer(401, { status: 401, code: 'session_missing', detail: 'Sign in.' }));
    await expect(request(FILE)).rejects.toMatchObject({ code: 'session_missing', detail: 'Sign in.' });
    stop();
    expect(missing).toHaveBeenCalledTimes(1);
  });

  it('that breaks off is a failure of the network', async () => {
    const body = () => new ReadableStream({ start: (stream) => stream.error(new Error('No')) });
    vi.stubGlobal('fetch', async () => new Response(body()));
    await expect(readFile(FILE)).rejects.toEqual(new NetworkFailure('unreachable'));
  });

  it('that is only asked for is not read', async () => {
    const cancel = vi.fn();
    vi.stubGlobal('fetch', async () => new Response(new ReadableStream({ cancel })));
    await checkFile(FILE);
    expect(cancel).toHaveBeenCalledTimes(1);
  });
});
