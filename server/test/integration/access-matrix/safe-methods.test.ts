// Tests that GET and HEAD change nothing (A22), except for the recorded download, which requires our own page.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpointOf, ACCESS_RULES } from './routes.ts';
import {
  asPerson,
  codeOf,
  type MatrixEnvironment,
  refusalCodeOf,
  openMatrixEnvironment,
  requestOf,
  send,
} from './environment.ts';
import { serve } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
let matrixEnv: MatrixEnvironment;

beforeAll(async () => {
  matrixEnv = await openMatrixEnvironment(await serve(inside.services), inside);
});
afterAll(() => matrixEnv.served.close());

const READS = Object.keys(ACCESS_RULES).filter((name) => endpointOf(name).method === 'GET');
const EVENTS_APPENDED = READS.filter((name) => endpointOf(name).recordsAccess);

/** Who may ask, and with which credentials. */
function headersFor(name: string): Record<string, string> {
  const { auth } = endpointOf(name);
  if (auth === 'api_key') return { 'x-api-key': matrixEnv.project.pipeline.apiKey };
  return auth === 'session' ? { cookie: asPerson(matrixEnv, 'owner').cookie } : {};
}

/** Every row of every table, except for when a session or a key was last used: requests record that (A22). */
async function everything(): Promise<string> {
  const tables = await inside.sql<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`,
  );
  const counted = [];
  for (const { name } of tables) {
    const [row] = await inside.sql<{ hash: string | null }>(
      `select md5(string_agg(r, '|' order by r)) as hash from (select (to_jsonb(t) - 'last_seen_at' - 'last_used_at')::text as r from "${name}" t) rows`,
    );
    counted.push(`${name} ${row?.hash}`);
  }
  return counted.join('\n');
}

describe('A22: a safe method', () => {
  it.each(READS)('%s: HEAD changes nothing', async (name) => {
    const before = await everything();
    const { status, text } = await send(matrixEnv, { ...requestOf(matrixEnv, name), method: 'HEAD' }, headersFor(name));
    expect(text).toBe('');
    expect(status).toBe(EVENTS_APPENDED.includes(name) ? 405 : 200);
    expect(await everything()).toBe(before);
  });

  it.each(READS.filter((name) => !EVENTS_APPENDED.includes(name)))('%s: HEAD has the headers of GET', async (name) => {
    const [head, get] = [
      await send(matrixEnv, { ...requestOf(matrixEnv, name), method: 'HEAD' }, headersFor(name)),
      await send(matrixEnv, requestOf(matrixEnv, name), headersFor(name)),
    ];
    expect(get.text).not.toBe('');
    for (const header of ['content-type', 'cache-control', 'etag', 'vary'])
      expect(head.headers.get(header), header).toBe(get.headers.get(header));
    expect(head.headers.get('content-length')).not.toBeNull();
    expect(Math.abs(Number(head.headers.get('content-length')) - Buffer.byteLength(get.text))).toBeLessThan(64);
  });

  it.each(READS)('%s: GET changes nothing, unless it is declared as recorded', async (name) => {
    const before = await everything();
    expect(await refusalCodeOf(matrixEnv, name, headersFor(name))).toBe('in');
    expect((await everything()) === before).toBe(!EVENTS_APPENDED.includes(name));
  });
});

describe('A22: a recorded download', () => {
  it('exists for the export of learnings only', () => {
    expect(EVENTS_APPENDED).toEqual(['exportLearnings']);
  });

  const own = () => matrixEnv.served.testEnv.baseUrl;
  it.each<[string, () => Record<string, string>, 'in' | 'origin_refused']>([
    ['from another site', () => ({ 'sec-fetch-site': 'cross-site' }), 'origin_refused'],
    ['from another host of our site', () => ({ 'sec-fetch-site': 'same-site' }), 'origin_refused'],
    [
      'from a site that claims to be ours',
      () => ({ 'sec-fetch-site': 'cross-site', referer: own() }),
      'origin_refused',
    ],
    ['from another site in an older browser', () => ({ referer: 'https://evil.example/page' }), 'origin_refused'],
    ['from a name that begins like ours in an older browser', () => ({ referer: `${own()}.evil/` }), 'origin_refused'],
    ['from no origin in an older browser', () => ({ origin: 'null' }), 'origin_refused'],
    ['from our own page', () => ({ 'sec-fetch-site': 'same-origin' }), 'in'],
    ['from our own page in an older browser', () => ({ referer: `${own()}/learnings` }), 'in'],
    ['from a typed address', () => ({ 'sec-fetch-site': 'none' }), 'in'],
    ['by a program', () => ({}), 'in'],
  ])('a recorded download requested %s is admitted or refused by its origin', async (_, headers, answer) => {
    const before = await everything();
    const request = requestOf(matrixEnv, 'exportLearnings');
    expect(codeOf(await send(matrixEnv, request, { ...headersFor('exportLearnings'), ...headers() }))).toBe(answer);
    expect((await everything()) === before).toBe(answer !== 'in');
  });
});
