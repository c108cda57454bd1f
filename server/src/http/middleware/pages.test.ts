// Which paths serve the page: those of the dashboard, and below /api only the documentation.
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Koa from 'koa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SESSION_COOKIE } from '../admission/cookies.ts';
import { loadSite, pages } from './pages.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-site-'));
let server: Server;

beforeAll(async () => {
  writeFileSync(join(folder, '200.html'), '<html><head></head><body>The page</body></html>');
  writeFileSync(join(folder, 'docs.html'), '<html><head></head><body>The page, the programs</body></html>');
  server = new Koa().use(pages(loadSite(folder))).listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const ask = (path: string, init: RequestInit = {}) =>
  fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, init);

describe('the page', () => {
  it.each([
    '/',
    '/queue',
    '/projects/some-id',
    '/invites/some-token',
    '/account',
    '/sessions',
    '/mistakes',
    '/api/public/docs',
    '/api/public/docs?project=some-id',
  ])('is served at %s', async (path) => {
    const answer = await ask(path);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^text\/html/);
    expect(await answer.text()).toContain('The page');
  });

  it('is served with status 404 for unknown paths', async () => {
    const answer = await ask('/nowhere');
    expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining('The page')]);
  });

  it.each(['/api/public', '/api/public/docs/', '/api/public/docs/more', '/api/public/docs.html', '/api/public/Docs'])(
    'is not served at %s',
    async (path) => {
      const answer = await ask(path);
      expect([answer.status, await answer.text()]).toEqual([404, 'Not Found']);
    },
  );

  it('QU16: includes its programs on the documentation path only', async () => {
    const [docs, queue] = [await ask('/api/public/docs?project=x'), await ask('/queue')];
    expect([await docs.text(), await queue.text()]).toEqual([
      expect.stringContaining('the programs'),
      expect.not.stringContaining('the programs'),
    ]);
  });

  it('is served for GET and HEAD only', async () => {
    expect((await ask('/api/public/docs', { method: 'POST' })).status).toBe(404);
    expect((await ask('/api/public/docs', { method: 'HEAD' })).status).toBe(200);
  });

  it('says when no one can be signed in, also on the documentation path', async () => {
    const signedOut = await (await ask('/api/public/docs')).text();
    const signedIn = await (await ask('/api/public/docs', { headers: { cookie: `${SESSION_COOKIE}=x` } })).text();
    expect(signedOut).toContain('<meta name="session" content="none">');
    expect(signedIn).not.toContain('<meta name="session"');
  });
});
