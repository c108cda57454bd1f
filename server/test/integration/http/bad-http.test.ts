// Tests bodies at the edge of HTTP: encodings in capitals, thousands of invalid fields, bodies that never end.
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Problem } from '@countersign/shared/schemas/parts/problem';
import { aSubmission } from '../../builders.ts';
import { createProjectFixture, type ProjectFixture } from '../support/project-fixture.ts';
import { ask, serve, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
let fixture: ProjectFixture;
let served: Served;

beforeAll(async () => {
  fixture = await createProjectFixture(inside.services);
  served = await serve(inside.services);
});
afterAll(() => served.close());

const path = '/api/public/items';
const headersOf = (more: Record<string, string> = {}) => ({
  'content-type': 'application/json',
  'x-api-key': fixture.apiKey,
  ...more,
});
const aBody = (overrides: object = {}) =>
  JSON.stringify({ project_id: fixture.projectId, ...aSubmission(), ...overrides });
const post = (body: string | Buffer, more?: Record<string, string>) =>
  ask(served, { method: 'POST', path, headers: headersOf(more), body });

describe('content-encoding', () => {
  it.each(['GZIP', 'Gzip', ' gzip '])('the content-encoding “%s” is gzip', async (encoding) => {
    expect((await post(gzipSync(aBody()), { 'content-encoding': encoding })).status).toBe(201);
  });

  it('IDENTITY is none, and an unknown one gets 415', async () => {
    expect((await post(aBody(), { 'content-encoding': 'IDENTITY' })).status).toBe(201);
    expect((await post(aBody(), { 'content-encoding': 'zstd' })).status).toBe(415);
  });
});

describe('a body with thousands of unknown fields', () => {
  it('gets an error that names 20 of them', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`field_${n}`, n]));
    const { status, text } = await post(aBody(unknown));
    expect(status).toBe(422);
    const { errors = [] } = JSON.parse(text) as Problem;
    expect(errors).toHaveLength(20);
    expect(new Set(errors.map(({ code }) => code))).toEqual(new Set(['unknown_field']));
    expect(text.length).toBeLessThan(4000);
  });
});

describe('a body that does not arrive in time', () => {
  it('gets 408, and later bytes are no submission', async () => {
    const slow = await serve(inside.services, {
      patience: { headersMs: 100, requestMs: 100, checkEveryMs: 20, silenceMs: 60_000 },
    });
    const body = aBody({ metadata: { source: 'too-late' } });
    const headers = headersOf({ 'content-length': String(body.length) });
    const { text, status } = await ask(slow, { method: 'POST', path, headers, body: body.slice(0, -1) });
    expect([status, (JSON.parse(text) as Problem).code]).toEqual([408, 'request_timeout']);
    await slow.close();
    expect(await inside.sql(`select id from item where source = 'too-late'`)).toEqual([]);
    expect(slow.failures).toEqual([]);
  });
});

describe('a header that is sent twice', () => {
  it('is no idempotency key: two different ones are ambiguous', async () => {
    const headers = { ...headersOf(), 'idempotency-key': ['one', 'other'] };
    const { status, text } = await ask(served, { method: 'POST', path, headers, body: aBody() });
    expect([status, (JSON.parse(text) as Problem).code]).toEqual([400, 'invalid_header']);
  });
});

describe('a parameter in the address of a request that has none', () => {
  it.each(['?wait=5', '?foo=1', '?'])('%s: is refused by name, and nothing is submitted', async (query) => {
    const { status, text } = await ask(served, {
      ...{ method: 'POST', path: path + query, headers: headersOf(), body: aBody() },
    });
    const name = /\w+/.exec(query)?.[0];
    if (name === undefined) expect(status).toBe(201);
    else
      expect(JSON.parse(text)).toMatchObject({
        ...{ status: 422, errors: [{ pointer: `#/query/${name}`, code: 'unknown_field' }] },
      });
  });
});
