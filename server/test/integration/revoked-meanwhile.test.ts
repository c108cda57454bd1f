// A key that is revoked while its request is under way hears nothing that came after (K4).
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type Agent, request } from 'node:http';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createApiKey, revokeApiKey } from '../../src/usecases/api-keys.ts';
import { anItem, aScene, type Scene } from './scene.ts';
import { ask, serve } from './served.ts';
import { useServices } from './services.ts';

const inside = useServices();
let scene: Scene;
beforeAll(async () => {
  scene = await aScene(inside.services);
});

const aKey = () => createApiKey(inside.services, scene.owner, { projectId: scene.projectId, name: 'Leaving' });
const revoke = (keyId: string) => revokeApiKey(inside.services, scene.owner, { projectId: scene.projectId, keyId });

describe('revoked meanwhile', () => {
  it('K4: a request that waits does not get the decision', async () => {
    const served = await serve(inside.services);
    const { key, text } = await aKey();
    const { id } = await anItem(inside.services, scene);
    const headers = { 'x-api-key': text };
    const waiting = ask(served, { method: 'GET', path: `/api/public/items/${id}?wait=60`, headers });
    await expect.poll(() => inside.services.waiters.taken).toBe(1);
    await revoke(key.id);
    inside.services.waiters.letGo(key.id);
    expect((await waiting).status).toBe(401);
    await served.close();
  });

  it('K4: a body that takes its time is not stored', async () => {
    const served = await serve(inside.services);
    const { key, text } = await aKey();
    const body = JSON.stringify({ project_id: scene.projectId, input: 'slow', suggestion: 'a', confidence: 0.8 });
    const headers = { 'x-api-key': text, 'content-type': 'application/json', 'content-length': String(body.length) };
    const agent: Agent | false = false;
    const outgoing = request(`${served.world.url()}/api/public/items`, { method: 'POST', headers, agent });
    outgoing.write(body.slice(0, 10));
    const answered = once(outgoing, 'response');
    // The key is checked before the body is read; its use is what can be seen of that from here.
    const used = async () => {
      const [row] = await inside.sql<{ used: boolean }>(
        'select last_used_at is not null as used from api_key where id = ?',
        [key.id],
      );
      return row?.used;
    };
    await expect.poll(used).toBe(true);
    await revoke(key.id);
    // Longer than a second by the clock of whoever checks.
    const now = performance.now();
    vi.useFakeTimers({ toFake: ['performance'] });
    vi.advanceTimersByTime(now + 1001);
    outgoing.end(body.slice(10));
    const [answer] = (await answered) as [IncomingMessage];
    answer.resume();
    vi.useRealTimers();
    expect(answer.statusCode).toBe(401);
    const stored = await inside.sql(`select id from item where input = '"slow"'`);
    expect(stored).toEqual([]);
    await served.close();
  });
});
