// Tests that pages, processes, rollups and tables agree after random work with kills and restarts.

// $OPERATIONS sets the number of steps. Runs under SOAK=1: analytics.test.ts and journeys/resilience/crash.test.ts test the figures.

import type { Analytics } from '@countersign/shared/schemas/analytics';
import { readAnalytics } from '@countersign/shared/routes/analytics';
import type { Page } from 'playwright';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { join, openProject, type OpenProject } from '../../server/test/builders.ts';
import { people, type Person } from '../../server/test/client.ts';
import { expectInvariants, runScript } from '../../server/test/run-script.ts';
import { SOAK } from '../../server/test/soak.ts';
import { WITH_REDIS } from '../../server/test/test-environment.ts';
import { useOwnBrowserEnvironment } from '../support/test-environment.ts';
import { saveScreenshot } from '../support/page-checks.ts';
import { runRandomActions } from '../support/random-actions.ts';
import { REVIEWER_DECISIONS } from '@countersign/shared/review-actions';

const chromium = await findChromium();
const OPERATIONS = Number(process.env.OPERATIONS ?? 1500);
const TEAM = 6;
/** Allows failed requests while no process answers. */
const AWAY = /Failed to load resource|WebSocket connection/;

describe.skipIf(!SOAK || chromium === undefined || !WITH_REDIS)('figures under restarts', () => {
  const browserEnv = useOwnBrowserEnvironment({ RATE_LIMIT_PER_MINUTE: '1000000' });
  const pages: Page[] = [];
  let project: OpenProject;
  let team: Person[];
  let up = [0, 1];
  let back = Promise.resolve();

  beforeAll(async () => {
    const { owner, testEnv, receiver, enter, allowConsoleError } = browserEnv();
    allowConsoleError(AWAY);
    project = await openProject(owner, {
      receiver,
      settings: { audit_rate: 0.2, undo_window_seconds: 5, escalate_flags: ['legal'], time_zone: 'Asia/Kathmandu' },
    });
    team = await people(testEnv, TEAM);
    for (const one of team) await join(project, one, 'supervisor');
    for (let n = 0; n < 2; n += 1) {
      const page = await enter(owner, `/analytics?project=${project.id}&range=hour`);
      pages.push(page);
      // The page preloads the rest of its code on interaction; while no process answers it could not load.
      await page.mouse.move(300, 300);
      await page.waitForLoadState('networkidle');
    }
  });

  /** Kills or stops processes and starts them again; meanwhile the others answer, or none does. */
  async function without(gone: readonly number[], end: () => Promise<void>): Promise<void> {
    const { testEnv, frontProxy } = browserEnv();
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const others = up.filter((one) => !gone.includes(one));
    if (others.length === 0) back = promise;
    up = others;
    frontProxy.serve(up.map((one) => testEnv.url(one)));
    await end();
    await testEnv.restart();
    up = [0, 1];
    frontProxy.serve(testEnv.urls);
    resolve(undefined);
  }

  /** What happens to the processes, by the share of steps done. */
  const injections = () => [
    { after: 0.2, inject: () => without([1], () => browserEnv().testEnv.kill9(1)) },
    { after: 0.45, inject: () => without([0], () => browserEnv().testEnv.terminate(0)) },
    { after: 0.7, inject: () => without([0, 1], () => browserEnv().testEnv.kill9()) },
  ];

  const report = (process: number) =>
    team[0]?.call(readAnalytics, { params: { id: project.id } }, { process }) as Promise<Analytics>;

  it(`I9: shows the same figures everywhere after ${OPERATIONS} random steps and three restarts`, async () => {
    const due = injections();
    let injected = Promise.resolve();
    let steps = 0;
    const taken = () => {
      steps += 1;
      if (steps < (due[0]?.after ?? Infinity) * OPERATIONS) return;
      const { inject } = due.shift() as (typeof due)[0];
      injected = injected.then(inject);
    };
    const asked = async () => {
      await back;
      return up;
    };
    const ran = await runRandomActions(project, team, { count: OPERATIONS, seed: 20, up: asked, taken });
    await injected;
    expect(due).toEqual([]);
    // Some steps find nothing to do, some undo too late on a slow machine, and each restart may interrupt a running step.
    expect(ran.succeeded, `of ${ran.taken}`).toBeGreaterThan(0.85 * OPERATIONS - 3 * TEAM);
    await expect.poll(pendingWork, { timeout: 180_000, interval: 500 }).toEqual([{ behind: 0, due: 0 }]);
    const { one, counted, other } = await figuresAtOneHead();
    expect(other).toEqual(one);
    expect(one).toMatchObject(counted);
    expect(await runScript('rollups.ts', browserEnv().testEnv.env, 'check', '--project', project.id)).toMatch(
      /all equal/,
    );
    await expectInvariants(browserEnv().testEnv.env);
    const [first, second] = pages as [Page, Page];
    await expect
      .poll(async () => (await queueShownOn(first)).join())
      .toContain(`n ${one.arrived.toLocaleString('en')}, received`);
    // Either page may still refresh: both are read again until they agree.
    const differences = async () => {
      const [one, other] = await Promise.all([queueShownOn(first), queueShownOn(second)]);
      return other.flatMap((text, at) => (text === one[at] ? [] : [[one[at], text]]));
    };
    await expect.poll(differences).toEqual([]);
    await saveScreenshot(first, 'figures-under-fire', true);
  }, 1_800_000);

  /** Events that are not counted, and deliveries under way, which still change the figures. */
  const pendingWork = () =>
    browserEnv().testEnv.sql(
      `select (event_seq - rollup_seq)::int as behind, (select count(*)::int from delivery
           where project_id = $1 and status not in ('succeeded', 'dead'))
         + (select count(*)::int from decision where project_id = $1 and final_at is null) as due
       from project where id = $1`,
      [project.id],
    );

  /**
   * Reads the figures of both processes, and of the tables between them, until nothing happened meanwhile: a worker may
   * still assign reasons to clusters, which is an event that no reviewer caused.
   */
  const figuresAtOneHead = () =>
    vi.waitFor(
      async () => {
        const one = figuresOf(await report(0));
        const counted = await tables();
        const other = figuresOf(await report(1));
        if (one.counted.head !== other.counted.head) throw new Error('An event was appended between two reads.');
        return { one, counted, other };
      },
      { timeout: 180_000, interval: 500 },
    );

  /** Drops the figures that change with the clock alone. */
  const figuresOf = ({ server_time: _, from: _from, to: _to, flow: _flow, ...rest }: Analytics) => rest;

  /** Counts the same figures row by row. */
  async function tables() {
    const by = async (query: string) => {
      const rows = await browserEnv().testEnv.sql<{ key: string; n: number }>(query, [project.id]);
      return Object.fromEntries(rows.map(({ key, n }) => [key, n]));
    };
    const none = Object.fromEntries(REVIEWER_DECISIONS.map((action) => [action, 0]));
    const actions = await by(
      `select action as key, count(*)::int as n from decision
       where project_id = $1 and reviewer_id is not null and not audit group by 1`,
    );
    const [one] = await browserEnv().testEnv.sql<{ arrived: number; verdicts: number; reviewing: number }>(
      `select (select count(*)::int from item where project_id = $1) as arrived,
         (select count(*)::int from decision where project_id = $1 and audit) as verdicts,
         (select count(*)::int from item where project_id = $1 and claim_expires_at is not null) as reviewing`,
      [project.id],
    );
    return {
      arrived: one?.arrived,
      reviewing: one?.reviewing,
      by_action: { ...none, ...actions },
      audits: { decided: one?.verdicts },
    };
  }
});

/** Reads the figures of a page, with its plots as tables, without those that change with the clock. */
function queueShownOn(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('main section')].map((each) => (each as HTMLElement).innerText),
  );
}
