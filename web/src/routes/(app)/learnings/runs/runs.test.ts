// The regression runs page: a run is started once, however often the request is repeated.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { UrlState } from '../url-state.ts';
import { RunsLog } from './runs.svelte.ts';

const URL_STATE: UrlState = {
  cluster: null,
  range: 'day',
  filter: { excluded: 'none', flag: 'pii' },
  runs: true,
  run: null,
};

interface RecordedRequest {
  path: string;
  method: string;
  key: string | undefined;
  body: unknown;
}

let requests: RecordedRequest[];
/** How many requests get no answer yet. */
let lost: number;

beforeEach(() => {
  requests = [];
  lost = 0;
  vi.stubGlobal('fetch', (path: string, init: { method: string; headers?: Record<string, string>; body?: string }) => {
    const { method, headers, body } = init;
    const sent: unknown = body === undefined ? undefined : JSON.parse(body);
    requests.push({ path, method, key: headers?.['idempotency-key'], body: sent });
    if (lost > 0) return ((lost -= 1), Promise.reject(new TypeError('The connection is gone.')));
    return Promise.resolve(Response.json({ id: 'r', data: [], next_cursor: null }));
  });
});
afterEach(() => vi.unstubAllGlobals());

const begun = () => requests.filter(({ method }) => method === 'POST');

it('RS2: requests the same run again after a lost answer, and another one once it has started or the filter changed', async () => {
  const log = new RunsLog('p', null);
  lost = 1;
  await expect(log.begin('v2', URL_STATE)).rejects.toThrow();
  await log.begin('v2', URL_STATE);
  const [first, second] = begun();
  expect(first?.key).toMatch(/^[0-9a-f]{32}$/);
  expect(second).toEqual(first);
  expect(first?.body).toEqual({ flag: 'pii', since: expect.any(String) as string, title: 'v2' });
  await log.begin('v2', URL_STATE);
  lost = 1;
  await expect(log.begin('v3', URL_STATE)).rejects.toThrow();
  await log.begin('v4', URL_STATE);
  expect(new Set(begun().map(({ key }) => key)).size).toBe(4);
});
