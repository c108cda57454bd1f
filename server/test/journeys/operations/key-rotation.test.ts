// Tests rotating the encryption key of a running service (K3), and that a start without a needed key is refused.
import { createHmac, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { aSubmission, openProject, type OpenProject, review } from '../../builders.ts';
import { person } from '../../client.ts';
import { aBody, aSender, type Sender } from '../../integration/webhooks/inbound-sender.ts';
import { type Receiver, startReceiver } from '../../receiver.ts';
import { startServer } from '../../server-process.ts';
import { useTestEnvironment } from '../../test-environment.ts';

const aKey = () => randomBytes(32).toString('base64');
const [OLD, NEW] = [`old:${aKey()}`, `new:${aKey()}`];

describe('K3: a key ring that is rotated', () => {
  const testEnv = useTestEnvironment({ env: { SECRET_KEYS: OLD } });
  let receiver: Receiver;
  let project: OpenProject;
  let source: Sender;

  beforeAll(async () => {
    receiver = await startReceiver();
    project = await openProject(await person(testEnv), { receiver });
    source = await aSender(project);
  });
  afterAll(() => receiver.close());

  /** Stops every process, and starts it again with this key ring. */
  async function turn(ring: string): Promise<void> {
    for (const index of testEnv.urls.keys()) await testEnv.terminate(index);
    testEnv.setEnv({ SECRET_KEYS: ring });
    await testEnv.restart();
  }

  async function works(): Promise<void> {
    const { id } = await project.pipeline.submit(aSubmission());
    await review(project.owner, id, 'approve');
    // The receiver verifies with the first secret shown to its owner.
    expect(await receiver.next(id)).toMatchObject({ attempt: 1 });
    const body = aBody();
    const headers = {
      'content-type': 'application/json',
      'x-webhook-signature': createHmac('sha256', source.secret).update(body).digest('hex'),
    };
    const answer = await fetch(testEnv.url() + source.path, { method: 'POST', headers, body });
    expect(answer.status).toBe(201);
  }

  it('the old key is removed when the log says so: deliveries and inbound sources work all the time', async () => {
    await works();
    await turn(`${NEW},${OLD}`);
    await works();
    await vi.waitFor(() => expect(testEnv.log()).toMatch(/"unused":\["old"\].*remove them from SECRET_KEYS/), 20_000);
    await turn(NEW);
    await works();
  });

  it('the database then needs the new key alone; a process without it is refused its start', async () => {
    for (const index of testEnv.urls.keys()) await testEnv.terminate(index);
    const endpoints = await testEnv.sql('select * from webhook_endpoint');
    const sources = await testEnv.sql('select * from inbound_source');
    const dump = JSON.stringify([endpoints, sources]);
    expect(dump).toContain('"new.');
    expect(dump).not.toContain('"old.');
    testEnv.setEnv({ SECRET_KEYS: OLD });
    const sentence = 'SECRET_KEYS has no key new, which secrets in the database are encrypted with: put it back.';
    await expect(testEnv.restart()).rejects.toThrow(`The server ended with 1:\n${sentence}\n`);
    testEnv.setEnv({ SECRET_KEYS: `${NEW},${OLD}` });
    await testEnv.restart();
    await works();
  });
});

describe('a start without keys', () => {
  it('is refused with DATABASE_URL: one sentence, and the process ends with 1', async () => {
    const env = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };
    const refusal = await startServer(env, () => undefined).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(Error);
    const messages = (refusal as Error).message.split('\n').filter(Boolean);
    expect(messages).toHaveLength(2);
    expect(messages[0]).toBe('The server ended with 1:');
    expect(messages[1]).toMatch(/^SECRET_KEYS is required with DATABASE_URL: .*openssl rand -base64 32.*\.$/);
  });
});

describe('a start without a database', () => {
  it('names DATABASE_URL and what the driver said, in one sentence', async () => {
    const env = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', SECRET_KEYS: OLD };
    await expect(startServer(env, () => undefined)).rejects.toThrow(
      /^The server ended with 1:\nPostgreSQL at DATABASE_URL cannot be used: .*ECONNREFUSED.*\.\n$/,
    );
  });
});
