// The client against a real HTTP server: requests and replies.
/// <reference types="node" />
import { afterEach, describe, expect, it } from 'vitest';
import {
  answer,
  closeServices,
  connected,
  failed,
  fakeService,
  ITEM,
  NEW_ITEM,
  PROJECT,
  refuse,
  take,
  type Behaviour,
  type Seen,
} from './client/fake-service.fixture.ts';
import * as client from './client.ts';
import { createClient, RawJson } from './client.ts';
import { signWebhook } from './webhook.ts';

afterEach(closeServices);

const TIME = '2026-11-20T14:02:31.000Z';
const FULL_ITEM = {
  ...NEW_ITEM,
  id: ITEM,
  status: 'queued',
  decision: null,
  risk_flags: [],
  metadata: null,
  routing: { rule: 'RT2', auto_threshold: 0.9, review_threshold: 0.5, matched_flags: [], settings_version: 1 },
  created_at: TIME,
  decided_at: null,
};

describe('submit', () => {
  it('posts the item with the API key and a new idempotency key, and returns the result', async () => {
    const { api, requests } = await connected((_seen, _attempt, response) => take(response, 'queued'));
    const { id, status, decision, replayed } = await api.submit(NEW_ITEM);
    expect({ id, status, decision, replayed }).toEqual({ id: ITEM, status: 'queued', decision: null, replayed: false });
    expect(requests).toMatchObject([{ method: 'POST', url: '/api/public/items' }]);
    expect(requests[0]?.key).toMatch(/^[0-9a-f]{32}$/);
    expect(requests[0]?.headers).toMatchObject({ 'x-api-key': 'csk_test', 'content-type': 'application/json' });
    expect(requests[0]?.headers).not.toHaveProperty('prefer');
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual(NEW_ITEM);
  });

  it('sends raw JSON with its original spelling: in a field, or as the whole item', async () => {
    const { api, requests } = await connected((_seen, _attempt, response) => take(response));
    await api.submit({
      ...NEW_ITEM,
      input: new RawJson('{"b":1.0,"a":[1e2 ]}'),
      metadata: { run: new RawJson('7.10') },
    });
    await api.submit(new RawJson('{ "any" : 1.50 }'));
    expect(requests[0]?.body).toContain('"input":{"b":1.0,"a":[1e2 ]}');
    expect(requests[0]?.body).toContain('"metadata":{"run":7.10}');
    expect(requests[1]?.body).toBe('{ "any" : 1.50 }');
  });

  it('reuses its idempotency key over retries, uses a given one, and creates another for another call', async () => {
    const { api, requests } = await connected((_seen, attempt, response) => {
      if (attempt === 1) response.destroy();
      else if (attempt === 2) refuse(response, { status: 503, code: 'unavailable', retryAfter: '1' });
      else if (attempt === 3) refuse(response, { status: 409, code: 'idempotency_in_progress', retryAfter: '1' });
      else take(response, 'queued', { 'idempotent-replayed': 'true', 'x-expected-wait-seconds': '540' });
    });
    const first = await api.submit(NEW_ITEM, { idempotencyKey: 'ticket 7' });
    expect(first).toMatchObject({ replayed: true, expectedWaitSeconds: 540 });
    await api.submit(NEW_ITEM);
    await api.submit(NEW_ITEM);
    expect(requests.slice(0, 4).map(({ key }) => key)).toEqual(Array.from({ length: 4 }, () => 'ticket 7'));
    expect(requests).toHaveLength(12);
    expect(new Set(requests.map(({ key }) => key)).size).toBe(3);
    expect(new Set(requests.map(({ body }) => body)).size).toBe(1);
  });

  it('waits for a decision on request, and accepts unknown fields of a newer service', async () => {
    const { api, requests } = await connected((_seen, _attempt, response) =>
      answer(response, { id: ITEM, status: 'approved', decision: null, trace: [1] }, 201),
    );
    expect(await api.submit(NEW_ITEM, { waitSeconds: 20 })).toEqual({
      ...{ id: ITEM, status: 'approved', decision: null },
      ...{ replayed: false, expectedWaitSeconds: null },
    });
    expect(requests[0]?.headers.prefer).toBe('wait=20');
  });

  it.each(['', 'é', 'line\nbreak', 'x'.repeat(256)])(
    'rejects the idempotency key %j before sending',
    async (idempotencyKey) => {
      const { api, requests } = await connected((_seen, _attempt, response) => take(response));
      expect(await failed(api.submit(NEW_ITEM, { idempotencyKey }))).toBeInstanceOf(TypeError);
      expect(requests).toEqual([]);
    },
  );

  it.each([1.5, -1, Number.NaN])('rejects a wait of %d seconds before sending', async (waitSeconds) => {
    const { api, requests } = await connected((_seen, _attempt, response) => take(response));
    expect(await failed(api.submit(NEW_ITEM, { waitSeconds }))).toBeInstanceOf(TypeError);
    expect(requests).toEqual([]);
  });
});

describe('submitBatch', () => {
  it('sends the items in one request, and separates accepted from refused ones, also for an unknown error code', async () => {
    const error = {
      type: 'about:blank',
      title: 'T',
      status: 422,
      detail: 'd',
      instance: '/',
      code: 'news',
      request_id: 'r',
    };
    const results = [
      { index: 0, id: ITEM, status: 'queued', decision: null, more: 1 },
      { index: 1, error },
    ];
    const { api, requests } = await connected((_seen, _attempt, response) => answer(response, { results, more: 1 }));
    const reply = await api.submitBatch([NEW_ITEM, new RawJson('{"bad":1.0}')], { idempotencyKey: 'b' });
    expect(requests).toMatchObject([{ method: 'POST', url: '/api/public/items/batch', key: 'b' }]);
    expect(requests[0]?.body).toBe(`{"items":[${JSON.stringify(NEW_ITEM)},{"bad":1.0}]}`);
    expect(reply.replayed).toBe(false);
    expect(reply.results.map((result) => ('error' in result ? result.error.code : result.status))).toEqual([
      'queued',
      'news',
    ]);
  });
});

describe('reading', () => {
  it('reads an item, and waits for its decision on request', async () => {
    const { api, requests } = await connected((_seen, _attempt, response) =>
      answer(response, { ...FULL_ITEM, more: 1 }),
    );
    expect(await api.item(ITEM)).toEqual(FULL_ITEM);
    await api.item('a/b', { waitSeconds: 5 });
    expect(requests.map(({ method, url }) => [method, url])).toEqual([
      ['GET', `/api/public/items/${ITEM}`],
      ['GET', '/api/public/items/a%2Fb?wait=5'],
    ]);
    expect(requests[0]?.headers).not.toHaveProperty('content-type');
    expect(requests[0]?.headers).not.toHaveProperty('idempotency-key');
  });

  it('says that a deadline was first, as the status of an item and as the refusal of a withdrawal', async () => {
    const expired = { ...FULL_ITEM, status: 'expired', decision: null, deadline: TIME, on_deadline: 'expire' };
    const { api } = await connected(({ method }, _attempt, response) =>
      method === 'GET' ? answer(response, expired) : refuse(response, { status: 409, code: 'expired' }),
    );
    expect(await api.item(ITEM, { waitSeconds: 5 })).toEqual(expired);
    expect(await failed(api.withdraw(ITEM))).toMatchObject({ status: 409, code: 'expired', temporary: false });
  });

  it('withdraws an item, with a reason or without one', async () => {
    const withdrawn = { id: ITEM, status: 'withdrawn', decision: null };
    const { api, requests } = await connected((_seen, _attempt, response) => answer(response, withdrawn));
    expect(await api.withdraw(ITEM, { reason: 'Cancelled' })).toEqual(withdrawn);
    await api.withdraw(ITEM);
    expect(requests.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['POST', `/api/public/items/${ITEM}/withdraw`, '{"reason":"Cancelled"}'],
      ['POST', `/api/public/items/${ITEM}/withdraw`, '{}'],
    ]);
  });

  it('lists a page of items by status and time', async () => {
    const { api, requests } = await connected((_seen, _attempt, response) =>
      answer(response, { data: [FULL_ITEM], has_more: true, next_cursor: 'c 1' }),
    );
    const page = await api.items({ status: 'queued', since: new Date(TIME), until: TIME, limit: 2, after: 'c+0' });
    expect(page).toEqual({ data: [FULL_ITEM], has_more: true, next_cursor: 'c 1' });
    const query = new URLSearchParams({ status: 'queued', limit: '2', after: 'c+0', since: TIME, until: TIME });
    expect(requests[0]?.url).toBe(`/api/public/items?${query}`);
  });

  /** Three pages of one row each, with cursors that need escaping. */
  const paged =
    (row: object): Behaviour =>
    ({ url }, _attempt, response) => {
      const after = Number((new URL(url, 'http://x').searchParams.get('after') ?? 'c& 0').slice(3));
      answer(response, {
        data: after < 3 ? [row] : [],
        has_more: after < 2,
        next_cursor: `c& ${Math.min(after + 1, 3)}`,
      });
    };
  const afters = (requests: Seen[]) => requests.map(({ url }) => new URL(url, 'http://x').searchParams.get('after'));

  it('iterates over every item, and requests no page that is not read', async () => {
    const { api, requests } = await connected(paged(FULL_ITEM));
    const all = [];
    for await (const item of api.eachItem({ status: 'queued' })) all.push(item.id);
    expect(all).toEqual([ITEM, ITEM, ITEM]);
    expect(afters(requests)).toEqual([null, 'c& 1', 'c& 2']);
    expect(requests.every(({ url }) => url.includes('status=queued') && url.includes('limit=100'))).toBe(true);
    for await (const _ of api.eachItem()) break;
    expect(requests).toHaveLength(4);
  });

  it('iterates over the pages of decisions, and resumes from a cursor', async () => {
    const event = {
      ...{
        id: 'evt_1',
        event: 'item.decided',
        item_id: ITEM,
        project_id: PROJECT,
        status: 'rejected',
        reviewer_id: null,
      },
      ...{ decided_at: TIME },
      decision: {
        ...{ id: ITEM, status: 'rejected', action: 'reject', output: null, edited: false, reason: 'r', note: null },
        ...{ reviewer_id: null, decided_at: TIME },
      },
    };
    const { api, requests } = await connected(paged(event));
    let saved: string | undefined;
    for await (const page of api.eventPages()) {
      expect(page.data).toEqual([event]);
      saved = page.next_cursor;
      break;
    }
    for await (const page of api.eventPages({ after: saved, limit: 1 })) saved = page.next_cursor;
    expect(afters(requests)).toEqual([null, 'c& 1', 'c& 2']);
    expect(requests[2]?.url).toContain('limit=1&');
    for await (const page of api.eventPages({ after: saved })) {
      expect(page).toEqual({ data: [], has_more: false, next_cursor: 'c& 3' });
    }
    expect(requests).toHaveLength(4);
  });
});

describe('createClient', () => {
  it("accepts a base URL with a slash or a path, and retries with the platform's clock", async () => {
    const { url, requests } = await fakeService((_seen, attempt, response) => {
      if (attempt === 1) refuse(response, { status: 500, code: 'internal' });
      else take(response);
    });
    await createClient({ baseUrl: `${url}/`, apiKey: 'k', random: () => 0 }).submit(NEW_ITEM);
    await createClient({ baseUrl: `${url}/behind/`, apiKey: 'k', random: () => 0.01 }).submit(NEW_ITEM);
    expect(requests.map((seen) => seen.url)).toEqual([
      ...['/api/public/items', '/api/public/items'],
      ...['/behind/api/public/items', '/behind/api/public/items'],
    ]);
  });

  it.each([
    ['', 'csk_x'],
    ['localhost:3000', 'csk_x'],
    ['ftp://host', 'csk_x'],
    ['http://host?x', 'csk_x'],
    ['http://host', ''],
    ['http://host', 'csk_x\n'],
  ])('rejects the base URL %j with the key %j immediately', (baseUrl, apiKey) => {
    expect(() => createClient({ baseUrl, apiKey })).toThrow(TypeError);
  });

  it('exports the webhook verification', async () => {
    const [secret, body] = ['whsec_c2VjcmV0', '{"event":"item.decided"}'];
    const headers = await signWebhook({ id: 'evt_1', timestamp: 1000, attempt: 1, body }, [secret]);
    expect(await client.verifyWebhook(body, headers, { secret, now: 1000 })).toBe(true);
    expect(await client.verifyWebhook(`${body} `, headers, { secret, now: 1000 })).toBe(false);
  });
});
