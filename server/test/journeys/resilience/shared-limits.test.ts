// Tests that all processes share one rate limit and one key revocation, and keep serving without Redis.
import { parseList } from 'structured-headers';
import { beforeAll, describe, expect, it } from 'vitest';
import { createApiKey, revokeApiKey } from '@countersign/shared/routes/projects';
import { readItem } from '@countersign/shared/routes/public';
import { problem } from '@countersign/shared/schemas/parts/problem';
import { aSubmission, openProject, type OpenProject } from '../../builders.ts';
import { type Answer, person, pipeline, type Pipeline } from '../../client.ts';
import { WITH_REDIS, useTestEnvironment, type TestEnvironment } from '../../test-environment.ts';
import { useEnvironmentWithOwnRedis } from '../../own-redis.ts';
import { rawAnswer } from './raw-http.ts';

const ALONE = 'rate limits count per process';
const SHARED = 'rate limits are shared again';

/** For each process, whether it counts alone now. */
function countingAlone(testEnv: TestEnvironment): boolean[] {
  const lines = testEnv.log().split('\n');
  return testEnv.urls.map((_, process) => {
    const own = lines.filter((line) => line.startsWith(`[${process}] `));
    return own.findLast((line) => line.includes(ALONE) || line.includes(SHARED))?.includes(ALONE) === true;
  });
}

/** Reads an item through a process: returns the status. */
const reading = (who: Pipeline, id: string) => (process: number) =>
  who.attempt(readItem, { params: { id } }, { process });

const statuses = (answers: Answer<unknown>[]) =>
  Object.fromEntries(
    [...Map.groupBy(answers, ({ status }) => status)].map(([status, those]) => [status, those.length]),
  );

async function newKey({ owner, id }: OpenProject): Promise<{ keyId: string; user: Pipeline }> {
  const key = await owner.call(createApiKey, { params: { id }, body: { name: 'Another' } });
  return { keyId: key.id, user: pipeline(owner.testEnv, { projectId: id, apiKey: key.api_key }) };
}

describe('a key', () => {
  const QUOTA = 120;
  const testEnv = useTestEnvironment({ env: { RATE_LIMIT_PER_MINUTE: String(QUOTA) } });
  let project: OpenProject;
  let itemId: string;

  beforeAll(async () => {
    project = await openProject(await person(testEnv));
    itemId = (await project.pipeline.submit(aSubmission())).id;
  });

  const timesAlone = () => testEnv.log().split(ALONE).length - 1;

  /**
   * Sends twice the quota at once with a new key, while the processes share the count; `most` is the maximum that may be granted.
   */
  async function burst() {
    const { user } = await newKey(project);
    const read = reading(user, itemId);
    const alone = async () => {
      await Promise.all(testEnv.urls.map((_, process) => reading(project.pipeline, itemId)(process)));
      return countingAlone(testEnv);
    };
    await expect.poll(alone).not.toContain(true);
    const started = performance.now();
    const answers = await Promise.all(Array.from({ length: 2 * QUOTA }, (_, n) => read(n)));
    const back = ((performance.now() - started) / 60_000) * QUOTA;
    return { answers, granted: statuses(answers)[200] ?? 0, most: QUOTA + Math.ceil(back) };
  }

  it('RL1: has one limit over all processes', async () => {
    let before = timesAlone();
    let { answers, granted, most } = await burst();
    while (granted > most) {
      // Only a process without a timely response from Redis may have counted alone (RL3); then another key is tested.
      await expect.poll(timesAlone).toBeGreaterThan(before);
      before = timesAlone();
      ({ answers, granted, most } = await burst());
    }
    // A busy machine may answer some of the counted ones with 503.
    const { 429: limited = 0, 503: busy = 0 } = statuses(answers);
    expect(granted + busy).toBeGreaterThanOrEqual(QUOTA);
    expect(granted + limited + busy).toBe(2 * QUOTA);
    const refused = answers.find(({ status }) => status === 429);
    const [[, parameters] = [null, new Map()]] = parseList(refused?.headers.get('ratelimit') ?? '');
    expect(String(parameters.get('t'))).toBe(refused?.headers.get('retry-after'));
  });

  it('K4: is refused at once by the process that revoked it, and soon by all, however busy it is', async () => {
    const { keyId, user } = await newKey(project);
    const read = reading(user, itemId);
    const good = await Promise.all(testEnv.urls.map((_, process) => read(process)));
    expect(statuses(good)).toEqual({ 200: testEnv.urls.length });
    await project.owner.call(revokeApiKey, { params: { id: project.id, key_id: keyId } }, { process: 0 });
    expect((await read(0)).status).toBe(401);
    const everywhere = async () =>
      (await Promise.all(testEnv.urls.map((_, process) => read(process)))).every(({ status }) => status === 401);
    await expect.poll(everywhere, { interval: 50 }).toBe(true);
  });

  it('a key that is refused gets the same response, whether revoked, unknown or mistyped', async () => {
    const { keyId, user } = await newKey(project);
    await project.owner.call(revokeApiKey, { params: { id: project.id, key_id: keyId } });
    const [revoked, mistyped] = [user, pipeline(testEnv, { projectId: project.id, apiKey: 'csk_typo' })];
    const texts = await Promise.all(
      [revoked, mistyped].map(async (who) => {
        const { text, headers } = await who.attempt(readItem, { params: { id: itemId } });
        return text.replace(headers.get('x-request-id') ?? '', '');
      }),
    );
    expect(texts[0]).toContain('api_key_invalid');
    expect(texts[1]).toBe(texts[0]);
  });

  it('invalid HTTP gets a named error, and kills no process', async () => {
    const host = 'Host: countersign.test\r\n';
    const all = [
      'nonsense\r\n\r\n',
      `GET / HTTP/1.1\r\n${host}x: ${'x'.repeat(20_000)}\r\n\r\n`,
      `GET / HTTP/1.1\r\n${host}bad name: 1\r\n\r\n`,
    ];
    for (const [n, bytes] of all.entries()) {
      const answer = await rawAnswer(testEnv.url(n), bytes);
      const [head = '', body = ''] = answer.split('\r\n\r\n');
      expect(head).toMatch(/^HTTP\/1\.1 400 [^]*application\/problem\+json/);
      expect(problem.parse(JSON.parse(body))).toMatchObject({ status: 400, code: 'invalid_header' });
    }
    for (const url of testEnv.urls) expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });
});

describe.runIf(WITH_REDIS)('without Redis', () => {
  const testEnv = useEnvironmentWithOwnRedis();

  it('RL3: a pipeline keeps submitting, and still gets its limit in headers', async () => {
    const project = await openProject(await person(testEnv));
    const submit = async (process: number) => {
      const body = JSON.stringify({ project_id: project.id, ...aSubmission() });
      return project.pipeline.submitRaw(body, { process });
    };
    await submit(0);
    testEnv.redis.cut();
    for (let round = 0; round < 3; round += 1) {
      const answers = await Promise.all([0, 1, 2, 3].map(submit));
      expect(statuses(answers)).toEqual({ 201: 4 });
      for (const { headers } of answers) expect(headers.get('ratelimit')).toMatch(/^"default";r=5\d+;t=\d+$/);
    }
    // Not how often a process logged it: one late response of Redis before or after the outage makes it count alone too.
    const alone = async () => {
      await Promise.all(testEnv.urls.map((_, process) => submit(process)));
      return countingAlone(testEnv);
    };
    await expect.poll(alone).not.toContain(false);
    testEnv.redis.reconnect();
    await expect.poll(alone, { interval: 100 }).not.toContain(true);
  });
});
