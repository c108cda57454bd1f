// Regression runs through the client: started once, with their cases exactly as submitted.
/// <reference types="node" />
import { afterEach, describe, expect, it } from 'vitest';
import { closeServices, connected, ITEM, PROJECT, refuse } from './fake-service.fixture.ts';

afterEach(closeServices);

const TIME = '2026-11-20T14:02:31.000Z';

describe('startRegression', () => {
  const RUN = { id: ITEM, project_id: PROJECT, title: null, cases: 2, created_at: TIME };
  const TALLY = { answered: 0, still_fails: 0, differs: 0, fixed: 0 };

  it('I2: starts one run with one key, however many requests it takes', async () => {
    const { api, requests } = await connected((_seen, attempt, response) => {
      if (attempt === 1) return refuse(response, { status: 503, code: 'unavailable' });
      response.writeHead(201, { 'content-type': 'application/json', 'idempotent-replayed': 'true' });
      return response.end(JSON.stringify({ ...RUN, ...TALLY }));
    });
    expect(await api.startRegression({ action: 'edit' })).toEqual({ ...RUN, ...TALLY, replayed: true });
    expect(requests.map(({ method, url, body }) => [method, url, body])).toEqual(
      Array(2).fill(['POST', '/api/public/regressions', '{"action":"edit"}']),
    );
    expect(new Set(requests.map(({ key }) => key)).size).toBe(1);
    expect(requests[0]?.key).toMatch(/^[0-9a-f]{32}$/);
  });
});

describe('eachCaseText', () => {
  const page = (data: string, next: string | null) =>
    `{"data":[${data}],"has_more":${next !== null},"next_cursor":${JSON.stringify(next)}}`;
  const one = `{"id":"${ITEM}","input":{"10":1.0,"2":1e2,"a":"},{"},"metadata":null}`;

  it('I7: yields the cases as submitted, page after page, one text per case', async () => {
    const { api, requests } = await connected((_seen, attempt, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      return response.end(attempt === 1 ? page(`${one},${one}`, 'next') : page('', null));
    });
    const texts: string[] = [];
    for await (const text of api.eachCaseText(ITEM, { unanswered: true })) texts.push(text);
    expect(texts).toEqual([one, one]);
    expect(requests.map(({ url }) => new URL(url, 'http://x').searchParams.get('after'))).toEqual([null, 'next']);
  });
});
