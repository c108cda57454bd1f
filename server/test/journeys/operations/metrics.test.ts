// Tests metrics of running processes, as Prometheus reads them: on the public port with a token, and on their own.
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { aSubmission, openProject, review } from '../../builders.ts';
import { person } from '../../client.ts';
import { type Receiver, startReceiver } from '../../receiver.ts';
import { startServer } from '../../server-process.ts';
import { WITH_REDIS, useTestEnvironment } from '../../test-environment.ts';
import { connectTo } from '../../../../scripts/lib/processes/postgres-client.ts';

const TOKEN = 'for-prometheus';

describe('the metrics', () => {
  const testEnv = useTestEnvironment({ roles: ['web', 'worker'], env: { METRICS_TOKEN: TOKEN, METRICS_PORT: '0' } });
  let receiver: Receiver;

  beforeAll(async () => {
    receiver = await startReceiver();
  });
  afterAll(() => receiver.close());

  const read = async (origin: string): Promise<string> => {
    const answer = await fetch(`${origin}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } });
    expect(answer.status).toBe(200);
    return answer.text();
  };

  /** A process logs its port at each start. */
  const operatorsOf = (process: number): string => {
    const lines = testEnv
      .log()
      .split('\n')
      .filter((line) => line.startsWith(`[${process}]`) && line.includes('health and metrics'));
    const { port } = JSON.parse(lines.at(-1)?.slice(4) ?? '{}') as { port: number };
    return `http://127.0.0.1:${port}`;
  };

  it('cover a submission in the process that accepted it and in the one that delivered its decision', async () => {
    const project = await openProject(await person(testEnv), { receiver });
    const { id } = await project.pipeline.submit(aSubmission({ confidence: 0.8 }));
    await review(project.owner, id);
    await receiver.next(id);
    const worker = operatorsOf(WITH_REDIS ? 1 : 0);
    await expect
      .poll(() => read(worker))
      .toMatch(/^countersign_delivery_attempt_duration_seconds_count\{outcome="succeeded"\} 1$/m);
    const works = await read(worker);
    for (const loop of ['relay', 'finalize', 'deliver', 'count', 'sweep'])
      expect(works).toContain(`countersign_loop_run_duration_seconds_count{loop="${loop}"}`);
    await expect.poll(() => read(worker)).toMatch(/^countersign_relay_lag_seconds 0$/m);
    const web = await read(testEnv.url(0));
    expect(web).toMatch(
      /^countersign_http_request_duration_seconds_count\{method="POST",route="\/api\/public\/items",status="201"\} 1$/m,
    );
    expect(web).toMatch(/^countersign_sockets 0$/m);
    if (WITH_REDIS) expect(web).toMatch(/^countersign_database_connections [1-9]/m);
  });

  it.runIf(WITH_REDIS)('say how far behind the service is although no worker runs', async () => {
    const project = await openProject(await person(testEnv));
    onTestFinished(() => testEnv.restart());
    await testEnv.terminate(1);
    await project.pipeline.submit(aSubmission());
    const web = await read(testEnv.url(0));
    const lag = /^countersign_relay_lag_seconds (\S+)$/m.exec(web)?.[1];
    expect(Number(lag)).toBeGreaterThan(0);
    expect(web).toMatch(/^countersign_deliveries_due 0$/m);
  });

  it('are served with health, as a worker has no other port', async () => {
    const worker = operatorsOf(WITH_REDIS ? 1 : 0);
    for (const path of ['/healthz', '/readyz']) expect((await fetch(worker + path)).status).toBe(200);
  });

  it('METRICS_PORT and PORT answer /readyz with 503 from SIGTERM on, and /healthz with 200', async () => {
    const [operators, url] = [operatorsOf(0), new URL(testEnv.url(0))];
    const readiness = async () => {
      const answer = await fetch(`${operators}/readyz`);
      return [answer.status, await answer.json()] as unknown;
    };
    expect(await readiness()).toMatchObject([200, { status: 'ok' }]);
    // An incomplete request keeps its connection open during the stop; with the first answer, the server has read both.
    const socket = connect(Number(url.port), url.hostname);
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /readyz HTTP/1.1\r\nHost: x\r\n');
    await once(socket, 'data');
    const ended = testEnv.terminate(0);
    await expect.poll(readiness).toEqual([503, { status: 'stopping', database: true, lock_store: true }]);
    expect((await fetch(`${operators}/healthz`)).status).toBe(200);
    socket.write('\r\n');
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 503 [^]*\{"status":"stopping","database":true,"lock_store":true\}$/);
    await ended;
    await testEnv.restart();
  });

  it('end a start whose port for them is in use, with the variable to change', async () => {
    const { port } = new URL(operatorsOf(0));
    await expect(startServer({ ...testEnv.env, METRICS_PORT: port }, () => undefined)).rejects.toThrow(
      `Port ${port} is in use: stop what uses it, or set METRICS_PORT to another.`,
    );
  });
});

describe.skipIf(!WITH_REDIS)('a slow statement', () => {
  const testEnv = useTestEnvironment({ processes: 1, env: { SLOW_STATEMENT_MS: '100' } });

  it('is logged with its duration, and without its parameters', async () => {
    const project = await openProject(await person(testEnv));
    const client = await connectTo(testEnv.env.DATABASE_URL ?? '');
    onTestFinished(() => client.end());
    await client.query('begin');
    await client.query('select from project where id = $1 for update', [project.id]);
    const submitted = project.pipeline.submit(aSubmission({ input: { question: 'For nobody’s eyes' } }));
    const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
      and clock_timestamp() - query_start > interval '150 ms'`;
    await expect.poll(() => testEnv.sql(waiting)).not.toEqual([]);
    await client.query('commit');
    await submitted;
    const slow = () =>
      testEnv
        .log()
        .split('\n')
        .filter((line) => line.includes('a slow statement'));
    // Other sessions that wait for this project log the same.
    await expect.poll(() => slow().join('\n')).toMatch(/"ms":[1-9]\d\d+,"text":"[^"]*project/);
    expect(testEnv.log()).not.toContain('nobody’s eyes');
  });
});
