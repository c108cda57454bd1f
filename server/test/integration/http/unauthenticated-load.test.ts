// Tests that callers without a proof pay for each attempt: unsigned inbound messages, and keys in use (RL2).
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { policiesOf } from '../../../src/limits/policies.ts';
import { createMemoryLimiter } from '../../../src/limits/memory-limiter.ts';
import { checkApiKey } from '../../../src/usecases/credentials/check-api-key.ts';
import { createKeyCache } from '../../../src/usecases/credentials/key-cache.ts';
import type { KnownKey } from '../../../src/usecases/services.ts';
import { openProject, type OpenProject } from '../../builders.ts';
import { person } from '../../client.ts';
import { movableClock } from '../../contracts/limiter.contract.ts';
import { aBody, aSender, hexOf, outcome, post, type Sender } from '../webhooks/inbound-sender.ts';
import { serve, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
const few = { quota: 4, windowSeconds: 60 };
let project: OpenProject;
let sender: Sender;
let served: Served;

beforeAll(async () => {
  const first = await serve(inside.services);
  project = await openProject(await person(first.testEnv));
  sender = await aSender(project);
  await first.close();
});
afterEach(() => served.close());

async function open(): Promise<ReturnType<typeof movableClock>> {
  const clock = movableClock();
  const policies = { ...policiesOf(60_000), 'unknown-key': few, 'unknown-source': few };
  const limiter = createMemoryLimiter(policies, clock);
  // Inbound timestamps are checked against the clock of the services; no signature here uses it.
  served = await serve({ ...inside.services, limiter, keys: createKeyCache(clock), clock }, { proxyHops: 1 });
  return clock;
}

const refusalCodeOf = (address: string, secret: string, path = sender.path) => {
  const body = aBody();
  return post(served, path, { body, headers: { ...hexOf(secret, body), 'x-forwarded-for': address } }).then(outcome);
};

describe('inbound messages', () => {
  it('RL2: a flood of invalid signatures is refused before it is processed, for any source', async () => {
    await open();
    const bad = [];
    for (let n = 0; n < 6; n += 1)
      bad.push(await refusalCodeOf('192.0.2.1', 'whsec_wrong', n % 2 ? sender.path : `${sender.path}x`));
    expect(bad).toEqual([...Array<string>(4).fill('401 signature_invalid'), '429 rate_limited', '429 rate_limited']);
    expect(await refusalCodeOf('192.0.2.2', sender.secret)).toBe('201');
  });

  it('RL2: a sender with a recent valid signature passes while others of its address do not', async () => {
    const clock = await open();
    expect(await refusalCodeOf('192.0.2.1', sender.secret)).toBe('201');
    for (let n = 0; n < 3; n += 1) await refusalCodeOf('192.0.2.1', 'whsec_wrong', `${sender.path}x`);
    expect(await refusalCodeOf('192.0.2.1', 'whsec_wrong', `${sender.path}x`)).toBe('429 rate_limited');
    for (let n = 0; n < 8; n += 1) expect(await refusalCodeOf('192.0.2.1', sender.secret)).toBe('201');
    // This ends after a time.
    clock.pass(10 * 60_000);
    for (let n = 0; n < 4; n += 1) await refusalCodeOf('192.0.2.1', 'whsec_wrong', `${sender.path}x`);
    expect(await refusalCodeOf('192.0.2.1', sender.secret)).toBe('429 rate_limited');
  });

  it('RL2: a valid signature from before the clock was set back is not recent', async () => {
    const clock = await open();
    expect(await refusalCodeOf('192.0.2.1', sender.secret)).toBe('201');
    clock.pass(-60_000);
    for (let n = 0; n < 4; n += 1) await refusalCodeOf('192.0.2.1', 'whsec_wrong', `${sender.path}x`);
    expect(await refusalCodeOf('192.0.2.1', sender.secret)).toBe('429 rate_limited');
  });
});

describe('a key without recent use', () => {
  it('RL2: counts once, however many clients send it at once', async () => {
    await open();
    let charged = 0;
    const charge = () => {
      charged += 1;
      return Promise.resolve();
    };
    const services = { ...inside.services, keys: createKeyCache<KnownKey>(movableClock()) };
    // All of them send before the first gets a response.
    await Promise.all(Array.from({ length: 30 }, () => checkApiKey(services, project.pipeline.apiKey, charge)));
    expect(charged).toBe(1);
  });
});
