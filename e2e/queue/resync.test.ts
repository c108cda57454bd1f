// Tests that after any interruption a page shows what a freshly opened page would show (QU4).
import type { Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { claimItem, claimNext, listQueue, releaseClaim } from '@countersign/shared/routes/queue';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { aSubmission, join, review } from '../../server/test/builders.ts';
import { people, type Person } from '../../server/test/client.ts';
import { scaled, SOAK } from '../../server/test/soak.ts';
import { WITH_REDIS } from '../../server/test/test-environment.ts';
import { useOwnBrowserEnvironment } from '../support/test-environment.ts';
import { expectUpToDate, queueShownOn } from '../support/queue.ts';

const chromium = await findChromium();
const ITEMS = scaled(15, 30);
/** How often everything happens to the lines while a page sleeps. */
const ROUNDS = scaled(2, 5);

describe.skipIf(chromium === undefined)('a page after an interruption', () => {
  const browserEnv = useOwnBrowserEnvironment();
  let reader: Person;
  let others: [Person, Person];
  let page: Page;
  /** The process that the other people use: it stays up while they work. */
  let up = 0;

  const everyone = () => [browserEnv().owner, reader, ...others];
  const arrive = (count: number) =>
    Promise.all(
      Array.from({ length: count }, () => browserEnv().project.pipeline.submit(aSubmission(), { process: up })),
    );
  const expectFresh = () => expectUpToDate(page, { reviewer: reader, view: 'all', people: everyone(), process: up });

  /** Everything that can happen to a line: arrive, be claimed, released, decided, escalated. */
  async function othersAct(): Promise<void> {
    const { owner } = browserEnv();
    const via = { process: up };
    const { data } = await owner.call(listQueue, { query: { view: 'all', limit: 500 } }, via);
    const free = data.filter(({ claim, status }) => claim === null && status === 'queued').map(({ id }) => id);
    const [approved, rejected, escalated, returned] = free as [string, string, string, string];
    const [ana, ben] = others;
    await review(ana, approved, 'approve', via);
    await review(ben, rejected, 'reject', via);
    await review(ana, escalated, 'escalate', via);
    const { fence } = await ben.call(claimItem, { params: { id: returned } }, via);
    await ben.call(releaseClaim, { params: { id: returned }, body: { fence } }, via);
    await arrive(5);
    // This person releases the held item and claims another.
    for (const { id, claim } of data) {
      if (claim?.user_id !== ana.id) continue;
      const held = await ana.call(claimItem, { params: { id } }, via);
      await ana.call(releaseClaim, { params: { id }, body: { fence: held.fence } }, via);
    }
    await ana.call(claimNext, {}, via);
  }

  /** The page must show outdated lines while it is offline, or the test would prove nothing. */
  async function expectStale(): Promise<void> {
    const ids = async () => (await queueShownOn(page, everyone())).lines.map(({ id }) => id).join();
    const { data } = await reader.call(listQueue, { query: { view: 'all', limit: 500 } }, { process: up });
    expect(await ids()).not.toBe(data.map(({ id }) => id).join());
  }

  beforeAll(async () => {
    const { testEnv, project, enter, allowConsoleError } = browserEnv();
    // While a page is offline its requests fail, and the browser logs it.
    allowConsoleError(/net::ERR|WebSocket connection|Failed to fetch|Unable to preload|status of 5\d\d/);
    const [first, second, third] = (await people(testEnv, 3)) as [Person, Person, Person];
    reader = first;
    others = [second, third];
    for (const member of [first, second, third]) await join(project, member);
    await arrive(ITEMS);
    page = await enter(reader, '/queue?view=all');
  });

  it('after its network was down', async () => {
    await expectFresh();
    browserEnv().frontProxy.cut();
    await othersAct();
    await expectStale();
    browserEnv().frontProxy.serve(browserEnv().testEnv.urls);
    await expectFresh();
  });

  it('after it slept: none of its code ran while many things happened', async () => {
    // Freezing a page by its lifecycle keeps it running here; the debugger stops it in the middle of a step.
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Debugger.enable');
    const asleep = new Promise((resolve) => devtools.once('Debugger.paused', resolve));
    await devtools.send('Debugger.pause');
    await asleep;
    for (let round = 0; round < ROUNDS; round += 1) await othersAct();
    await devtools.send('Debugger.resume');
    await devtools.detach();
    await expectFresh();
  });

  it.runIf(WITH_REDIS)('after its process was killed, and it reconnects to another', async () => {
    const { testEnv, frontProxy } = browserEnv();
    for (const dead of SOAK ? [0, 1] : [0]) {
      up = 1 - dead;
      await testEnv.kill9(dead);
      frontProxy.serve([testEnv.url(up)]);
      await othersAct();
      await expectFresh();
      await testEnv.restart(dead);
    }
    frontProxy.serve(testEnv.urls);
  });

  it('after the whole service was killed and restarted', async () => {
    const { testEnv, frontProxy } = browserEnv();
    frontProxy.cut();
    await testEnv.kill9();
    await testEnv.restart();
    up = 0;
    await othersAct();
    await expectStale();
    frontProxy.serve(testEnv.urls);
    await expectFresh();
  });

  it('a page continues after an interruption: later events show without a reload', async () => {
    await othersAct();
    await expectFresh();
  });
});
