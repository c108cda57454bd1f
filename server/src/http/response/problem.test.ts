// Every thrown error becomes a problem response (RFC 9457) that reveals nothing internal.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa, { type Middleware } from 'koa';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { ERRORS, Refusal, type ErrorCode } from '@countersign/shared/errors';
import { problem as schema } from '@countersign/shared/schemas/parts/problem';
import { problems } from './problem.ts';
import { requestId } from '../middleware/request-id.ts';

const servers: Server[] = [];
const lines: Record<string, unknown>[] = [];

afterEach(async () => {
  lines.length = 0;
  for (const server of servers.splice(0)) {
    server.close();
    await once(server, 'close');
  }
});

/** The response of an app whose last middleware is `step`. */
async function answerOf(step: Middleware, init: RequestInit & { path?: string } = {}) {
  const log = pino(
    { level: 'debug' },
    { write: (line: string) => void lines.push(JSON.parse(line) as object as never) },
  );
  const app = new Koa();
  app.silent = true;
  app.use(requestId(log)).use(problems(log)).use(step);
  const handle = app.callback();
  const server = createServer((request, response) => void handle(request, response)).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { path = '/some/path', ...rest } = init;
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    ...rest,
    headers: { connection: 'close', ...rest.headers },
  });
  return { response, text: await response.text() };
}

const throwing =
  (error: unknown): Middleware =>
  () => {
    throw error;
  };

describe('a refusal', () => {
  it.each(Object.keys(ERRORS) as ErrorCode[])('%s has its status and title, and matches the contract', async (code) => {
    const { response, text } = await answerOf(throwing(new Refusal(code, 'Do this.')));
    expect(response.status).toBe(ERRORS[code].status);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    expect(response.headers.get('cache-control')).toBe('no-store');
    const body = schema.parse(JSON.parse(text));
    expect(body).toEqual({
      type: `urn:countersign:error:${code}`,
      title: ERRORS[code].title,
      status: ERRORS[code].status,
      detail: 'Do this.',
      instance: '/some/path',
      code,
      request_id: response.headers.get('x-request-id'),
    });
  });

  it('carries its extras, and Retry-After only as a header', async () => {
    const errors = [{ pointer: '#/a', code: 'required', detail: 'Send it.' }];
    const holder = { user_id: 'u', name: 'Ada' };
    const refusal = new Refusal('claim_held', 'Wait.', { errors, holder, expires_at: null, retryAfter: 3 });
    const { response, text } = await answerOf(throwing(refusal));
    expect(response.headers.get('retry-after')).toBe('3');
    expect(JSON.parse(text)).toMatchObject({ errors, holder, expires_at: null });
    expect(text).not.toContain('retryAfter');
  });

  it('names the path without its query', async () => {
    const { text } = await answerOf(throwing(new Refusal('not_found', 'No.')), { path: '/a%20b?key=csk_secret' });
    expect(JSON.parse(text)).toMatchObject({ instance: '/a%20b' });
    expect(text).not.toContain('csk_secret');
  });
});

describe('any other error', () => {
  it.each([
    ['an error', new Error('select * from item where /etc/passwd')],
    ['a text', 'relation "item" does not exist'],
    ['nothing', undefined],
    ['null', null],
    ['an HTTP error of a library', Object.assign(new Error('secret'), { status: 418, expose: true })],
    ['an error with a code', Object.assign(new Error('at /srv/app/x.ts:1'), { code: '42P01', query: 'select 1' })],
  ])('%s becomes `internal`, with its text only in the log', async (_, error) => {
    const { response, text } = await answerOf(throwing(error));
    expect(response.status).toBe(500);
    expect(JSON.parse(text)).toMatchObject({ code: 'internal', status: 500 });
    expect(text).not.toMatch(/select|relation|secret|\/srv|42P01|at .*\.ts/);
    const request_id = response.headers.get('x-request-id');
    expect(lines).toContainEqual(expect.objectContaining({ msg: 'request failed', request_id, level: 50 }));
  });

  it.each([405, 501])(
    'a bare %i of the router becomes `method_not_allowed` and names the allowed methods',
    async (status) => {
      const { response, text } = await answerOf((ctx) => {
        ctx.set('allow', 'GET, POST');
        ctx.status = status;
      });
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe('GET, POST');
      expect(JSON.parse(text)).toMatchObject({ code: 'method_not_allowed', detail: 'Use one of: GET, POST.' });
    },
  );

  it('an unanswered path becomes `not_found`', async () => {
    const { response, text } = await answerOf((_, next) => next());
    expect(response.status).toBe(404);
    expect(JSON.parse(text)).toMatchObject({ code: 'not_found', instance: '/some/path' });
  });

  it('a finished response stays unchanged, also an empty one and a page with status 404', async () => {
    expect((await answerOf((ctx) => void (ctx.status = 204))).response.status).toBe(204);
    const page = await answerOf((ctx) => {
      ctx.status = 404;
      ctx.body = 'A page.';
    });
    expect([page.response.status, page.text]).toEqual([404, 'A page.']);
  });

  it('headers set for the failed response are not sent with the error', async () => {
    const { response } = await answerOf((ctx) => {
      ctx.type = 'html';
      ctx.body = '<p>half</p>';
      throw new Error('late');
    });
    expect(response.headers.get('content-type')).toBe('application/problem+json');
  });
});

describe('the request ID', () => {
  const ok: Middleware = (ctx) => void (ctx.body = 'ok');

  it('is the one of the caller when it is valid', async () => {
    const { response } = await answerOf(ok, { headers: { 'x-request-id': 'Abc_123-x' } });
    expect(response.headers.get('x-request-id')).toBe('Abc_123-x');
    expect(lines).toContainEqual(expect.objectContaining({ msg: 'request', request_id: 'Abc_123-x', status: 200 }));
  });

  it.each(['', 'a b', 'x'.repeat(65), '<script>', 'a,b'])('replaces the invalid “%s”', async (sent) => {
    const { response } = await answerOf(ok, { headers: { 'x-request-id': sent } });
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('is in one log line per request, without query, headers or body', async () => {
    const init = { path: '/a?token=t0ken', method: 'POST', body: 'b0dy', headers: { cookie: 'c00kie=1' } };
    await answerOf(ok, init);
    expect(lines).toHaveLength(1);
    expect(JSON.stringify(lines)).not.toMatch(/t0ken|b0dy|c00kie/);
  });
});
