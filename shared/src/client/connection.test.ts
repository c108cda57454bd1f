// Every way in which a call can fail, against a real HTTP server.
/// <reference types="node" />
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ApiError, createClient, NetworkError, UnexpectedAnswerError } from '../client.ts';
import {
  closeServices,
  connected,
  failed,
  fakeService,
  ITEM,
  NEW_ITEM,
  refuse,
  take,
  type Behaviour,
} from './fake-service.fixture.ts';

afterEach(() => {
  vi.useRealTimers();
  closeServices();
});

describe('how a call fails', () => {
  it('reports what the service says: status, code, detail, fields, request ID and Retry-After', async () => {
    const errors = [{ pointer: '#/confidence', code: 'too_big', detail: 'At most 1.' }];
    const { api } = await connected((_seen, _attempt, response) =>
      refuse(response, { status: 422, code: 'validation_failed', errors, retryAfter: '7' }),
    );
    const error = await failed(api.submit(NEW_ITEM));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      ...{ status: 422, code: 'validation_failed', detail: 'about validation_failed', errors, requestId: 'r-1' },
      ...{ retryAfter: 7, tries: 1, temporary: false, message: 'validation_failed: about validation_failed' },
      item: null,
    });
  });

  it.each([
    ['as it is', { id: ITEM, status: 'expired', decision: null }, { id: ITEM, status: 'expired', decision: null }],
    ['null where it is not an item', { id: 'x' }, null],
  ])('contains the item whose state is the reason: %s', async (_, item, found) => {
    const { api } = await connected((_seen, _attempt, response) =>
      refuse(response, { status: 409, code: 'expired', item }),
    );
    expect(await failed(api.withdraw(ITEM))).toMatchObject({ code: 'expired', item: found });
  });

  it.each([
    ['text/html', '<html>Bad Gateway</html>', 'The server responded with 502 without a reason.'],
    ['application/json', '[1]', 'The server responded with 502 without a reason.'],
    ['application/problem+json', '{"title":"Upstream gone"}', 'Upstream gone'],
    ['application/problem+json', '{"detail":"Upstream gone","errors":{"a":["b"]}}', 'Upstream gone'],
  ])('uses its own code when another server responds: %s %s', async (type, body, detail) => {
    const behaviour: Behaviour = (_seen, _attempt, response) =>
      response.writeHead(502, { 'content-type': type }).end(body);
    const { api } = await connected(behaviour, { retry: { tries: 2 } });
    expect(await failed(api.item(ITEM))).toMatchObject({
      status: 502,
      code: 'http_502',
      detail,
      requestId: null,
      tries: 2,
    });
  });

  it('fails on a redirect and does not follow it: the key is for one address', async () => {
    const other = await fakeService((_seen, _attempt, response) => take(response));
    const { api } = await connected((_seen, _attempt, response) =>
      response.writeHead(308, { location: other.url }).end(),
    );
    const error = await failed(api.submit(NEW_ITEM));
    expect(error).toMatchObject({
      status: 308,
      code: 'http_308',
      detail: `The server redirects to ${other.url}.`,
      tries: 1,
    });
    expect(other.requests).toEqual([]);
  });

  it.each(['<html>Welcome</html>', '{}', '{"id":"x","status":"queued","decision":null}', ''])(
    'fails when another server responds with success: %j',
    async (body) => {
      const { api, requests } = await connected((_seen, _attempt, response) => response.writeHead(200).end(body));
      const error = await failed(api.submit(NEW_ITEM));
      expect(error).toBeInstanceOf(UnexpectedAnswerError);
      expect(error).toMatchObject({ status: 200 });
      expect(requests).toHaveLength(1);
    },
  );

  it('reports the reason when nothing listens', async () => {
    const { api } = await connected(() => undefined, { retry: { tries: 2 } });
    closeServices();
    const error = await failed(api.item(ITEM));
    expect(error).toBeInstanceOf(NetworkError);
    expect(error).toMatchObject({ reason: 'ECONNREFUSED', tries: 2, temporary: true });
  });

  it('fails when the response breaks off', async () => {
    const { api, requests } = await connected(
      (_seen, _attempt, response) => {
        response.writeHead(200, { 'content-length': '500' }).write('{"id":', () => response.destroy());
      },
      { retry: { tries: 2 } },
    );
    expect(await failed(api.item(ITEM))).toBeInstanceOf(NetworkError);
    expect(requests).toHaveLength(2);
  });

  it('fails when no response arrives in time; the requested wait extends the time limit', async () => {
    // The clock stops until a request has arrived.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const options = { timeoutSeconds: 5, retry: { tries: 2 } };
    const { api, requests } = await connected(() => vi.advanceTimersByTimeAsync(5000), options);
    expect(await failed(api.item(ITEM))).toMatchObject({ reason: 'no response within 5 s', tries: 2 });
    expect(requests).toHaveLength(2);
    const late: Behaviour = (_seen, _attempt, response) =>
      vi.advanceTimersByTimeAsync(14_999).then(() => take(response));
    const patient = await connected(late, options);
    expect(await patient.api.submit(NEW_ITEM, { waitSeconds: 10 })).toMatchObject({ id: ITEM });
    expect(patient.requests).toHaveLength(1);
  });
});

describe('a Retry-After date', () => {
  it('is measured by the clock of the service, regardless of the local time is', async () => {
    const { api, slept } = await connected((_seen, attempt, response) => {
      if (attempt > 1) return take(response);
      const [date, until] = ['Fri, 20 Nov 2026 14:00:00 GMT', 'Fri, 20 Nov 2026 14:00:20 GMT'];
      return response.writeHead(503, { date, 'retry-after': until }).end();
    });
    await api.submit(NEW_ITEM);
    expect(slept).toEqual([20_000 + 250]);
  });
});

describe('the signal', () => {
  it('cancels a request in flight immediately, with the reason of the signal and no retry', async () => {
    for (const retry of [{}, { seconds: 0 }]) {
      const stop = new AbortController();
      const { api, requests, slept } = await connected(() => stop.abort(new Error('enough')), { retry });
      expect(await failed(api.submit(NEW_ITEM, { signal: stop.signal }))).toMatchObject({ message: 'enough' });
      expect({ requests: requests.length, slept }).toEqual({ requests: 1, slept: [] });
    }
  });

  it("cancels a wait immediately, also with the platform's clock", async () => {
    const { url, requests } = await fakeService((_seen, _attempt, response) => {
      refuse(response, { status: 429, code: 'rate_limited', retryAfter: '60' });
    });
    const stop = new AbortController();
    const onRetry = (): void => void setImmediate(() => stop.abort());
    const api = createClient({ baseUrl: url, apiKey: 'csk_test', retry: { onRetry } });
    expect(await failed(api.item(ITEM, { signal: stop.signal }))).toMatchObject({ name: 'AbortError' });
    expect(requests).toHaveLength(1);
  });
});
