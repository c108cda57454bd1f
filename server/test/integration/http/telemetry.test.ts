// Tests `/metrics`: who may read it, what it reports, and that label values do not grow with requests.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../../src/http/app.ts';
import { createHttpServer } from '../../../src/http/connection/server.ts';
import type { Probes } from '../../../src/http/middleware/health.ts';
import { opsApp } from '../../../src/http/middleware/metrics.ts';
import { processTelemetry } from '../../../src/ops-server.ts';
import { watchSockets } from '../../../src/telemetry/gauges.ts';
import type { Telemetry } from '../../../src/telemetry/telemetry.ts';
import { startLoop } from '../../../src/worker/loop.ts';
import { claim } from '../../../src/usecases/claims/claim.ts';
import { anItem, createProjectFixture, type ProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';
import { deliveriesOf } from '../webhooks/pending-deliveries.ts';

const testEnv = useServices();
const TOKEN = 'for-prometheus';
const probes: Probes = {
  phase: () => 'serving',
  database: () => Promise.resolve(true),
  lockStore: () => Promise.resolve(true),
};
let fixture: ProjectFixture;
let telemetry: Telemetry;

beforeAll(async () => {
  fixture = await createProjectFixture(testEnv.services);
});

/** Serves an app on a port of its own while `work` runs. */
async function on(app: { callback: ReturnType<typeof createApp>['callback'] }, work: (url: string) => Promise<void>) {
  const handle = app.callback();
  const http = createHttpServer((request, response) => void handle(request, response));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  try {
    await work(`http://127.0.0.1:${(http.address() as AddressInfo).port}`);
  } finally {
    http.close();
    http.closeAllConnections();
  }
}

const appWith = (token: string | null) => {
  telemetry = processTelemetry({
    services: testEnv.services,
    connections: () => ({ total: 0, idle: 0, waiting: 0 }),
  });
  return createApp(testEnv.services, { site: null, probes, proxyHops: 0, metrics: { source: telemetry, token } });
};
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const figure = (page: string, name: string): number =>
  Number(
    page
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.split(' ')
      .at(-1),
  );

describe('who may read the metrics', () => {
  it('on the public port: requests with the token', () =>
    on(appWith(TOKEN), async (url) => {
      for (const [headers, status, code] of [
        [{}, 401, 'api_key_missing'],
        [{ authorization: 'Bearer another' }, 401, 'api_key_invalid'],
        [{ authorization: TOKEN }, 401, 'api_key_missing'],
      ] as const) {
        const refused = await fetch(`${url}/metrics`, { headers });
        expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([status, 'Bearer']);
        expect(await refused.json()).toMatchObject({ code });
      }
      const page = await fetch(`${url}/metrics`, bearer(TOKEN));
      expect([page.status, page.headers.get('content-type'), page.headers.get('cache-control')]).toEqual([
        200,
        expect.stringMatching(/^text\/plain; version=0\.0\.4/),
        'no-store',
      ]);
    }));

  it('nobody where no token is set, and the refusal says what to set', () =>
    on(appWith(null), async (url) => {
      const refused = await fetch(`${url}/metrics`, bearer(TOKEN));
      expect([refused.status, await refused.json()]).toMatchObject([
        404,
        { detail: expect.stringContaining('METRICS_TOKEN') as string },
      ]);
    }));

  it('on a separate port: health and metrics, with the token where one is set, and nothing else', async () => {
    appWith(null);
    for (const token of [null, TOKEN])
      await on(opsApp(testEnv.services.log, { probes, source: telemetry, token }), async (url) => {
        const statuses = await Promise.all(
          ['/metrics', '/healthz', '/readyz', '/', '/api/session'].map(
            async (path) => (await fetch(url + path)).status,
          ),
        );
        expect(statuses).toEqual([token === null ? 200 : 401, 200, 200, 404, 404]);
      });
  });
});

it('the Grafana dashboard queries no metric that does not exist', async () => {
  const connections = () => ({ total: 1, idle: 1, waiting: 0 });
  const source = processTelemetry({ services: testEnv.services, connections });
  watchSockets(source, () => 0);
  const metricsText = (await source.page()).text;
  const file = readFileSync(new URL('../../../../deploy/grafana-dashboard.json', import.meta.url), 'utf8');
  const { panels } = JSON.parse(file) as { panels: { title: string; targets: { expr: string }[] }[] };
  const asked = panels.flatMap(({ targets }) =>
    targets.flatMap(({ expr }) => expr.match(/\b[a-z]+_[a-z0-9_]{8,}\b/g) ?? []),
  );
  const names = new Set(
    asked.map((name) => name.replace(/_(bucket|count)$/, '')).filter((name) => name !== 'histogram_quantile'),
  );
  expect(names.size).toBeGreaterThan(10);
  for (const name of names) expect(metricsText).toContain(`# TYPE ${name} `);
});

describe('the metrics', () => {
  const read = async () => (await telemetry.page()).text;

  it('report requests by method, route and status: ids, odd paths and odd methods add no label values', () =>
    on(appWith(TOKEN), async (url) => {
      const ids = ['0190b1a0-0000-7000-8000-000000000001', '0190b1a0-0000-7000-8000-000000000002'];
      for (const id of ids) await fetch(`${url}/api/projects/${id}`);
      for (const path of ['/one', '/two', '/api/none']) await fetch(url + path);
      await fetch(`${url}/api/projects/${ids[0]}`, { method: 'PROPFIND' });
      const page = await read();
      const counts = page
        .split('\n')
        .filter((line) => line.startsWith('countersign_http_request_duration_seconds_count'));
      expect(counts.sort()).toEqual([
        'countersign_http_request_duration_seconds_count{method="GET",route="/api/projects/:id",status="401"} 2',
        'countersign_http_request_duration_seconds_count{method="GET",route="other",status="404"} 3',
        expect.stringMatching(/\{method="other",route="[^"]*",status="405"\} 1$/),
      ]);
      expect(page).not.toContain('0190b1a0');
    }));

  it('WH12: count what is due, and nothing that waits for an endpoint that is off, paused or suspended', async () => {
    appWith(TOKEN);
    const counted = async () => figure(await read(), 'countersign_deliveries_due');
    const of = await createProjectFixture(testEnv.services, { webhook_url: 'http://127.0.0.1:1024/' });
    const before = await counted();
    await deliveriesOf(testEnv, of, { count: 2 });
    expect(await counted()).toBe(before + 2);
    const endpoint = (columns: string) =>
      testEnv.sql(`update webhook_endpoint set ${columns} where project_id = ?`, [of.projectId]);
    for (const [off, on] of [
      ['is_enabled = false', 'is_enabled = true'],
      [`state = 'paused'`, `state = 'active'`],
      [`open_until = now() + interval '5 min'`, 'open_until = null'],
    ] as const) {
      await endpoint(off);
      expect(await counted()).toBe(before);
      await endpoint(on);
      expect(await counted()).toBe(before + 2);
    }
    await testEnv.sql('update project set webhook_url = null where id = ?', [of.projectId]);
    expect(await counted()).toBe(before);
  });

  it('report the relay lag and the claims', async () => {
    appWith(TOKEN);
    const before = figure(await read(), 'countersign_claims');
    const { id } = await anItem(testEnv.services, fixture, { confidence: 0.8 });
    await claim(testEnv.services, fixture.anna, id);
    const page = await read();
    expect(figure(page, 'countersign_claims')).toBe(before + 1);
    expect(figure(page, 'countersign_relay_lag_seconds')).toBeGreaterThanOrEqual(0);
    expect(page).toContain('nodejs_eventloop_lag_seconds');
  });

  it('report the loops, and their failed runs', async () => {
    appWith(TOKEN);
    let runs = 0;
    const run = () => (++runs === 1 ? Promise.reject(new Error('once')) : Promise.resolve());
    const loop = startLoop({ name: 'trial', run, pollMs: 60_000, log: testEnv.services.log, onRun: telemetry.run });
    await expect.poll(() => runs).toBe(2);
    await loop.stop();
    const page = await read();
    expect(page).toContain('countersign_loop_failures_total{loop="trial"} 1');
    expect(page).toContain('countersign_loop_run_duration_seconds_count{loop="trial"} 2');
  });

  it('report webhook attempts, and NaN for what cannot be read while the rest is correct', async () => {
    appWith(TOKEN);
    const delivery = { itemId: 'i', projectId: 'p', webhookId: 'w', attempt: 1, status: null };
    telemetry.attempt({ outcome: 'failed', seconds: 0.2, ...delivery });
    telemetry.gauges({ trial_one: 'One.', trial_two: 'Two.' }, () => Promise.reject(new Error('cut off')));
    const page = await read();
    expect(page).toContain('countersign_delivery_attempt_duration_seconds_count{outcome="failed"} 1');
    expect([figure(page, 'trial_one'), figure(page, 'trial_two')]).toEqual([NaN, NaN]);
    expect(figure(page, 'countersign_claims')).toBeGreaterThanOrEqual(0);
  });

  it('report the connections of the pool, three figures of one moment', async () => {
    const source = processTelemetry({
      services: testEnv.services,
      connections: () => ({ total: 3, idle: 1, waiting: 2 }),
    });
    const { text } = await source.page();
    const named = (name: string) => figure(text, `countersign_database_connections${name}`);
    expect([named(''), named('_idle'), named('_waiting')]).toEqual([3, 1, 2]);
  });
});
