// Tests API keys under heavy use: how often the database is asked, and that no cache outlives a revocation (K4).
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { REVOKED } from '../../../src/db/connection/channels.ts';
import type { Database } from '../../../src/db/database.ts';
import { ApiKey } from '../../../src/db/entities/api-key.ts';
import { createApiKey, revokeApiKey } from '../../../src/usecases/credentials/api-keys.ts';
import { checkApiKey } from '../../../src/usecases/credentials/check-api-key.ts';
import { createKeyCache, FRESH_MS } from '../../../src/usecases/credentials/key-cache.ts';
import type { KnownKey, Services } from '../../../src/usecases/services.ts';
import { movableClock } from '../../contracts/limiter.contract.ts';
import { createProjectFixture, type ProjectFixture } from '../support/project-fixture.ts';
import { ask, serve } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
const invalid = { code: 'api_key_invalid' };
let fixture: ProjectFixture;

beforeAll(async () => {
  fixture = await createProjectFixture(inside.services);
});

const aKey = () => createApiKey(inside.services, fixture.owner, { projectId: fixture.projectId, name: 'Busy' });
const revoke = (keyId: string, services = inside.services) =>
  revokeApiKey(services, fixture.owner, { projectId: fixture.projectId, keyId });

/** The same services with lookups of keys through `lookup`, which calls `answer` for the result of the database. */
function watched(lookup: <T>(answer: () => Promise<T>) => Promise<T>): Services {
  const read: Database['read'] = (work) =>
    inside.services.db.read((em) =>
      work(
        new Proxy(em, {
          get: (target, name) => {
            const value: unknown = Reflect.get(target, name);
            if (typeof value !== 'function') return value;
            return (...args: unknown[]) => {
              const answer = () => Reflect.apply(value, target, args) as Promise<unknown>;
              return name === 'findOne' && args[0] === ApiKey ? lookup(answer) : answer();
            };
          },
        }),
      ),
    );
  return { ...inside.services, db: { ...inside.services.db, read } };
}

describe('a flood of requests', () => {
  it('K4: asks the database for its key once in 3 s', async () => {
    const { text } = await aKey();
    const clock = movableClock();
    let asked = 0;
    const services = watched((answer) => ((asked += 1), answer()));
    const served = await serve({ ...services, keys: createKeyCache<KnownKey>(clock) });
    const path = '/api/public/items/0197f1a0-0000-7000-8000-000000000001';
    const flood = async () => {
      const one = () => ask(served, { method: 'GET', path, headers: { 'x-api-key': text } });
      const answers = await Promise.all(Array.from({ length: 40 }, one));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404]));
    };
    await flood();
    clock.pass(FRESH_MS - 1);
    await flood();
    expect(asked).toBe(1);
    clock.pass(1);
    await flood();
    expect(asked).toBe(2);
    await served.close();
  });

  it('of an unknown key asks each time: nothing is cached', async () => {
    const { key, text } = await aKey();
    await revoke(key.id);
    let asked = 0;
    const services = watched((answer) => ((asked += 1), answer()));
    for (let n = 0; n < 3; n += 1) await expect(checkApiKey(services, text)).rejects.toMatchObject(invalid);
    expect(asked).toBe(3);
  });
});

describe('a revocation', () => {
  it('K4: takes effect in its own process with its response', async () => {
    const { key, text } = await aKey();
    await checkApiKey(inside.services, text);
    await revoke(key.id);
    await expect(checkApiKey(inside.services, text)).rejects.toMatchObject(invalid);
  });

  it('K4: is not undone by a lookup that had read the key before', async () => {
    const { key, text } = await aKey();
    const lookupBlocker = Promise.withResolvers<undefined>();
    const hasRead = Promise.withResolvers<undefined>();
    const services = watched(async (answer) => {
      const row = await answer();
      hasRead.resolve(undefined);
      await lookupBlocker.promise;
      return row;
    });
    const before = checkApiKey(services, text);
    await hasRead.promise;
    await revoke(key.id);
    const joined = expect(checkApiKey(inside.services, text)).rejects.toMatchObject(invalid);
    lookupBlocker.resolve(undefined);
    expect(await before).toMatchObject({ keyId: key.id });
    await joined;
    await expect(checkApiKey(inside.services, text)).rejects.toMatchObject(invalid);
  });

  it('a revocation that is refused evicts nothing', async () => {
    const { key, text } = await aKey();
    const stranger = { ...fixture.owner, userId: fixture.anna.userId };
    const attempt = revokeApiKey(inside.services, stranger, { projectId: fixture.projectId, keyId: key.id });
    await expect(attempt).rejects.toMatchObject({ code: 'forbidden' });
    expect(await checkApiKey(inside.services, text)).toMatchObject({ keyId: key.id });
  });

  it('K4: notifies the other processes, long before their 3 s are over', async () => {
    const { key, text } = await aKey();
    const other = await inside.another();
    // The clock there is stopped: only the notification can evict the key.
    const services = { ...other.services, keys: createKeyCache<KnownKey>(movableClock()) };
    await other.signals.on(REVOKED, (keyId) => services.keys.forget(keyId));
    await checkApiKey(services, text);
    await revoke(key.id);
    await vi.waitFor(() => expect(checkApiKey(services, text)).rejects.toMatchObject(invalid), {
      timeout: 20_000,
      interval: 5,
    });
    await other.close();
  });

  it('K4: takes effect after 3 s without a notification', async () => {
    const { key, text } = await aKey();
    const other = await inside.another();
    const clock = movableClock();
    const services = { ...other.services, keys: createKeyCache<KnownKey>(clock) };
    await checkApiKey(services, text);
    await revoke(key.id);
    expect(await checkApiKey(services, text)).toMatchObject({ keyId: key.id });
    clock.pass(FRESH_MS);
    await expect(checkApiKey(services, text)).rejects.toMatchObject(invalid);
    await other.close();
  });
});
