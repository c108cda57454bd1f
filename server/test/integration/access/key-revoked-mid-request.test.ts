// Tests that a key revoked during its request receives nothing that came after (K4).
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type Agent, request } from 'node:http';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createApiKey, revokeApiKey } from '../../../src/usecases/credentials/api-keys.ts';
import { anItem, createProjectFixture, type ProjectFixture } from '../support/project-fixture.ts';
import { ask, serve } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
let fixture: ProjectFixture;
beforeAll(async () => {
  fixture = await createProjectFixture(inside.services);
});

const aKey = () => createApiKey(inside.services, fixture.owner, { projectId: fixture.projectId, name: 'Leaving' });
const revoke = (keyId: string) => revokeApiKey(inside.services, fixture.owner, { projectId: fixture.projectId, keyId });

describe('revoked during the request', () => {
  it('K4: a waiting request does not get the decision', async () => {
    const served = await serve(inside.services);
    const { key, text } = await aKey();
    const { id } = await anItem(inside.services, fixture);
    const headers = { 'x-api-key': text };
    const waiting = ask(served, { method: 'GET', path: `/api/public/items/${id}?wait=60`, headers });
    await expect.poll(() => inside.services.waiters.taken).toBe(1);
    await revoke(key.id);
    inside.services.waiters.releaseByKey(key.id);
    expect((await waiting).status).toBe(401);
    await served.close();
  });

  it.each([
    ['/api/public/items', undefined],
    ['/api/public/mcp', 'Bearer'],
  ])('K4: a slow body to %s is not stored', async (path, challenge) => {
    const served = await serve(inside.services);
    const { key, text } = await aKey();
    const body = JSON.stringify({ project_id: fixture.projectId, input: 'slow', suggestion: 'a', confidence: 0.8 });
    const headers = { 'x-api-key': text, 'content-type': 'application/json', 'content-length': String(body.length) };
    const agent: Agent | false = false;
    const outgoing = request(served.testEnv.url() + path, { method: 'POST', headers, agent });
    outgoing.write(body.slice(0, 10));
    const answered = once(outgoing, 'response');
    // The key is checked before the body is read; its recorded use shows that the check has run.
    const used = async () => {
      const [row] = await inside.sql<{ used: boolean }>(
        'select last_used_at is not null as used from api_key where id = ?',
        [key.id],
      );
      return row?.used;
    };
    await expect.poll(used).toBe(true);
    await revoke(key.id);
    // Longer than a second by the clock of the check.
    const now = performance.now();
    vi.useFakeTimers({ toFake: ['performance'] });
    vi.advanceTimersByTime(now + 1001);
    outgoing.end(body.slice(10));
    const [answer] = (await answered) as [IncomingMessage];
    answer.resume();
    vi.useRealTimers();
    expect(answer.statusCode).toBe(401);
    expect(answer.headers['www-authenticate']).toBe(challenge);
    const stored = await inside.sql(`select id from item where input = '"slow"'`);
    expect(stored).toEqual([]);
    await served.close();
  });
});
