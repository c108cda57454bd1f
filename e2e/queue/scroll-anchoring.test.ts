// Tests frame by frame that no row moves under pointer or focus while items arrive and leave around it (QU1).
import type { Page, WebSocketRoute } from 'playwright';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { aSubmission, join, openProject, review, type OpenProject } from '../../server/test/builders.ts';
import { people, type Person } from '../../server/test/client.ts';
import { scaled } from '../../server/test/soak.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';
import { openRow, row, queueFromServer } from '../support/queue.ts';

const chromium = await findChromium();
const HALF = scaled(10, 50);
/** More lines than the screen has. */
const SCREENFUL = 25;
const QUIET_ITEMS = 30;

describe.skipIf(chromium === undefined)('scroll anchoring', () => {
  const browserEnv = useBrowserEnvironment();
  let reader: Person;
  let other: Person;
  /** The items of this project are due before those of the other one, so they come and go above them. */
  let urgent: OpenProject;
  let quietProject: OpenProject;
  let page: Page;

  beforeAll(async () => {
    const { testEnv, owner } = browserEnv();
    [reader, other] = (await people(testEnv, 2)) as [Person, Person];
    urgent = await openProject(owner, { settings: { target_minutes: 1 } });
    quietProject = await openProject(owner, { settings: { target_minutes: 600 } });
    for (const project of [urgent, quietProject])
      for (const member of [reader, other]) await join(project, member, 'supervisor');
    await arrive(urgent, HALF);
    const calm = Array.from({ length: QUIET_ITEMS }, (_, n) => aSubmission({ input: { question: `Calm ${n}` } }));
    const items = calm.map((item) => ({ project_id: quietProject.id, ...item }));
    await quietProject.pipeline.submitBatchRaw(JSON.stringify({ items }));
  });

  // The tests share the queue, so each begins with what arrived in those before it.
  beforeEach(async () => {
    page = await browserEnv().enter(reader, '/queue?view=all');
    await settle();
  });

  /** All lines are loaded, and a line from the middle is scrolled to the middle. */
  async function settle(): Promise<void> {
    await row(page, 'Calm 29').waitFor();
    await row(page, 'Calm 10').evaluate((line) => line.scrollIntoView({ block: 'center' }));
  }

  const list = (of: Page) => of.getByRole('grid').locator('xpath=..');

  const arrive = (project: OpenProject, count: number) =>
    Promise.all(Array.from({ length: count }, () => project.pipeline.submit(aSubmission())));

  /** Records the largest distance between the line's current place and any place where it is drawn. */
  const observeLine = (text: string) =>
    row(page, text).evaluate((line) => {
      const top = line.getBoundingClientRect().top;
      const observation = { moved: 0, frames: 0 };
      Object.assign(window, { lineObserver: observation });
      const measure = () => {
        observation.frames += 1;
        observation.moved = Math.max(
          observation.moved,
          line.isConnected ? Math.abs(line.getBoundingClientRect().top - top) : 9999,
        );
        requestAnimationFrame(measure);
      };
      measure();
    });
  const moved = () =>
    page.evaluate(() => (window as unknown as { lineObserver: { moved: number; frames: number } }).lineObserver);

  /** Adds as many items above it as there were, then removes them; waits until the page has counted them all. */
  async function addAndRemoveItems(): Promise<void> {
    const before = (await queueFromServer(other, 'all')).lines.slice(0, HALF);
    const arrivals = arrive(urgent, HALF);
    for (const { id } of before) await review(other, id);
    await arrivals;
    await allCounted();
  }

  /** The page has counted every item, and drawn it. */
  async function allCounted(): Promise<void> {
    const { counts } = await queueFromServer(reader, 'all');
    await page.getByRole('link', { name: new RegExp(`^All ${counts.all}$`) }).waitFor();
    await someFrames();
  }

  async function someFrames(): Promise<void> {
    const { frames } = await moved();
    await expect.poll(async () => (await moved()).frames).toBeGreaterThan(frames + 2);
  }

  it('keeps the list at its end, although more arrive above than were drawn before', async () => {
    await list(page).evaluate((box) => (box.scrollTop = box.scrollHeight));
    await observeLine('Calm 29');
    await arrive(urgent, SCREENFUL);
    await allCounted();
    expect((await moved()).moved).toBe(0);
  });

  it('keeps the row under the pointer in its place', async () => {
    await row(page, 'Calm 10').hover();
    await observeLine('Calm 10');
    await addAndRemoveItems();
    expect((await moved()).moved).toBe(0);
    const under = await row(page, 'Calm 10').evaluate((line) => line.matches(':hover'));
    expect(under).toBe(true);
  });

  it('keeps the row under a pointer at the lower edge, where new items are announced', async () => {
    const edge = await list(page).evaluate((box) => {
      box.scrollTop -= (box.scrollTop + box.clientHeight) % 44;
      const { left, bottom } = box.getBoundingClientRect();
      return { x: left + 60, y: bottom - 10 };
    });
    await page.mouse.move(edge.x, edge.y);
    await observeLine('Calm 10');
    await addAndRemoveItems();
    expect((await moved()).moved).toBe(0);
    await page.getByRole('button', { name: `${HALF} new` }).waitFor();
  });

  it('keeps rows in their places when the pointer enters after a scroll, and leaves', async () => {
    await list(page).evaluate((box) => (box.scrollTop += 200));
    const { scrolled, x, y } = await list(page).evaluate((box) => {
      const { left, top } = box.getBoundingClientRect();
      return { scrolled: box.scrollTop, x: left + 60, y: top + 100 };
    });
    const scrollTop = () => list(page).evaluate((box) => box.scrollTop);
    await page.mouse.move(x, y);
    await page.mouse.wheel(0, 90);
    await expect.poll(scrollTop).toBe(scrolled + 90);
    await observeLine('Calm 10');
    await page.mouse.move(x, 10);
    await arrive(urgent, 1);
    await allCounted();
    expect((await moved()).moved).toBe(0);
  });

  it('keeps rows in their places when the focused line was scrolled out of view', async () => {
    const first = list(page).locator('[data-line]').first();
    await first.evaluate((line: HTMLElement) => line.focus({ preventScroll: true }));
    await observeLine('Calm 10');
    await arrive(urgent, HALF);
    await allCounted();
    expect((await moved()).moved).toBe(0);
    expect(await first.evaluate((line) => line === document.activeElement)).toBe(true);
  });

  it('keeps rows in their places when a refresh failed: the message appears below', async () => {
    browserEnv().allowConsoleError(/net::ERR|WebSocket connection|Failed to fetch|status of 5\d\d/);
    const sockets: WebSocketRoute[] = [];
    await page.routeWebSocket(/socket\.io/, (socket) => {
      socket.connectToServer();
      sockets.push(socket);
    });
    await page.reload();
    await settle();
    await page.locator('[data-live=live]').waitFor();
    const failed = page.getByText("Couldn't refresh this list");
    await page.clock.install();
    await row(page, 'Calm 10').hover();
    await observeLine('Calm 10');
    await page.route('**/api/queue?*', (route) => route.fulfill({ status: 503, json: {} }));
    // The connection is lost, and the page reconnects.
    await Promise.all(sockets.map((socket) => socket.close()));
    const hasFailed = async () => {
      await page.clock.fastForward(1000);
      return failed.isVisible();
    };
    await expect.poll(hasFailed, { interval: 250 }).toBe(true);
    await someFrames();
    expect((await moved()).moved).toBe(0);
    await page.unroute('**/api/queue?*');
    // The page retries some seconds later: the test advances its clock past that.
    await page.clock.fastForward(20_000);
    await failed.waitFor({ state: 'detached' });
    await someFrames();
    expect((await moved()).moved).toBe(0);
  });

  it('keeps the row under the focus in its place, with the pointer elsewhere', async () => {
    await openRow(page, 'Calm 10');
    await page.getByText('Yours for').waitFor();
    await page.keyboard.press('j');
    await observeLine('Calm 11');
    await addAndRemoveItems();
    expect((await moved()).moved).toBe(0);
    expect(await row(page, 'Calm 11').evaluate((line) => line === document.activeElement)).toBe(true);
  });
});
