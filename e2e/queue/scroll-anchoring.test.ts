// No line moves under pointer or focus (QU1): arrivals and leavings above and around it, a hundred under SOAK=1, watched frame by frame.
import type { Page, WebSocketRoute } from 'playwright';
import { beforeEach, describe, expect, it } from 'vitest';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { aSubmission, join, openProject, review, type OpenProject } from '../../server/test/builders.ts';
import { people, type Person } from '../../server/test/client.ts';
import { scaled } from '../../server/test/soak.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';
import { openRow, row, queueFromServer } from '../support/queue.ts';

const chromium = await findChromium();
const HALF = scaled(20, 50);
const QUIET_ITEMS = 30;

describe.skipIf(chromium === undefined)('the list stands still', () => {
  const browserEnv = useBrowserEnvironment();
  let reader: Person;
  let other: Person;
  /** Its items are due before those of the other one, so they come and go above them. */
  let urgent: OpenProject;
  let quietProject: OpenProject;
  let page: Page;

  beforeEach(async () => {
    const { testEnv, owner, enter } = browserEnv();
    [reader, other] = (await people(testEnv, 2)) as [Person, Person];
    urgent = await openProject(owner, { settings: { target_minutes: 1 } });
    quietProject = await openProject(owner, { settings: { target_minutes: 600 } });
    for (const project of [urgent, quietProject])
      for (const member of [reader, other]) await join(project, member, 'supervisor');
    await arrive(urgent, HALF);
    for (let n = 0; n < QUIET_ITEMS; n += 1) {
      await quietProject.pipeline.submit(aSubmission({ input: { question: `Calm ${n}` } }));
    }
    page = await enter(reader, '/queue?view=all');
    await settle();
  });

  /** All lines are there, and one of those in the middle is in the middle. */
  async function settle(): Promise<void> {
    await row(page, 'Calm 29').waitFor();
    await row(page, 'Calm 10').evaluate((line) => line.scrollIntoView({ block: 'center' }));
  }

  const list = (of: Page) => of.getByRole('grid').locator('xpath=..');

  const arrive = (project: OpenProject, count: number) =>
    Promise.all(Array.from({ length: count }, () => project.pipeline.submit(aSubmission())));

  /** Remembers how far the line is ever drawn from where it is now. */
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

  /** As many arrive above it as were there, and those leave; done when the page has counted them all. */
  async function addAndRemoveItems(): Promise<void> {
    const before = (await queueFromServer(other, 'all')).lines.slice(0, HALF);
    const arrivals = arrive(urgent, HALF);
    for (const { id } of before) await review(other, id);
    await arrivals;
    const fresh = await queueFromServer(reader, 'all');
    await page.getByRole('link', { name: new RegExp(`^All ${fresh.counts.all}$`) }).waitFor();
    await someFrames();
  }

  async function someFrames(): Promise<void> {
    const { frames } = await moved();
    await expect.poll(async () => (await moved()).frames).toBeGreaterThan(frames + 2);
  }

  it('under the pointer', async () => {
    await row(page, 'Calm 10').hover();
    await observeLine('Calm 10');
    await addAndRemoveItems();
    expect((await moved()).moved).toBe(0);
    const under = await row(page, 'Calm 10').evaluate((line) => line.matches(':hover'));
    expect(under).toBe(true);
  });

  it('under a pointer at the lower edge, where new items are announced', async () => {
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

  it('when the pointer comes after it was scrolled, and goes', async () => {
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
    await page.getByRole('link', { name: new RegExp(`^All ${HALF + QUIET_ITEMS + 1}$`) }).waitFor();
    expect((await moved()).moved).toBe(0);
  });

  it('at its end, though more come above than were drawn before', async () => {
    await list(page).evaluate((box) => (box.scrollTop = box.scrollHeight));
    await observeLine('Calm 29');
    await arrive(urgent, HALF);
    await page.getByRole('link', { name: new RegExp(`^All ${2 * HALF + QUIET_ITEMS}$`) }).waitFor();
    await someFrames();
    expect((await moved()).moved).toBe(0);
  });

  it('when the line that has the focus was scrolled out of sight', async () => {
    const first = list(page).locator('[data-line]').first();
    await first.evaluate((line: HTMLElement) => line.focus({ preventScroll: true }));
    await observeLine('Calm 10');
    await arrive(urgent, HALF);
    await page.getByRole('link', { name: new RegExp(`^All ${2 * HALF + QUIET_ITEMS}$`) }).waitFor();
    await someFrames();
    expect((await moved()).moved).toBe(0);
    expect(await first.evaluate((line) => line === document.activeElement)).toBe(true);
  });

  it('when it could not be refreshed: what says so stands below', async () => {
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
    // The connection is lost, and the page comes back.
    await Promise.all(sockets.map((socket) => socket.close()));
    await failed.waitFor();
    await someFrames();
    expect((await moved()).moved).toBe(0);
    await page.unroute('**/api/queue?*');
    // It is asked again some seconds later: the page's clock goes past them.
    await page.clock.fastForward(20_000);
    await failed.waitFor({ state: 'detached' });
    await someFrames();
    expect((await moved()).moved).toBe(0);
  });

  it('under the focus, with the pointer elsewhere', async () => {
    await openRow(page, 'Calm 10');
    await page.getByText('Yours for').waitFor();
    await page.keyboard.press('j');
    await observeLine('Calm 11');
    await addAndRemoveItems();
    expect((await moved()).moved).toBe(0);
    expect(await row(page, 'Calm 11').evaluate((line) => line === document.activeElement)).toBe(true);
  });
});
