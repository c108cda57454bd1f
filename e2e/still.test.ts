// No line moves under pointer or focus (QU1): arrivals and leavings above and around it, a hundred under SOAK=1, watched frame by frame.
import type { Page, WebSocketRoute } from 'playwright';
import { beforeEach, describe, expect, it } from 'vitest';
import { findChromium } from '../scripts/browser.ts';
import { aSubmission, join, openProject, review, type OpenProject } from '../server/test/builders.ts';
import { people, type Person } from '../server/test/client.ts';
import { scaled } from '../server/test/soak.ts';
import { useHouse } from './house.ts';
import { openRow, row, seenFresh } from './queue.ts';

const chromium = await findChromium();
const HALF = scaled(20, 50);
const CALM = 30;

describe.skipIf(chromium === undefined)('the list stands still', () => {
  const house = useHouse();
  let reader: Person;
  let other: Person;
  /** Its items are due before those of the other one, so they come and go above them. */
  let urgent: OpenProject;
  let calm: OpenProject;
  let page: Page;

  beforeEach(async () => {
    const { world, owner, enter } = house();
    [reader, other] = (await people(world, 2)) as [Person, Person];
    urgent = await openProject(owner, { settings: { target_minutes: 1 } });
    calm = await openProject(owner, { settings: { target_minutes: 600 } });
    for (const project of [urgent, calm])
      for (const member of [reader, other]) await join(project, member, 'supervisor');
    await arrive(urgent, HALF);
    for (let n = 0; n < CALM; n += 1) {
      await calm.pipeline.submit(aSubmission({ input: { question: `Calm ${n}` } }));
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
  const watchLine = (text: string) =>
    row(page, text).evaluate((line) => {
      const top = line.getBoundingClientRect().top;
      const watch = { moved: 0, frames: 0 };
      Object.assign(window, { lineWatch: watch });
      const look = () => {
        watch.frames += 1;
        watch.moved = Math.max(watch.moved, line.isConnected ? Math.abs(line.getBoundingClientRect().top - top) : 9999);
        requestAnimationFrame(look);
      };
      look();
    });
  const moved = () =>
    page.evaluate(() => (window as unknown as { lineWatch: { moved: number; frames: number } }).lineWatch);

  /** As many arrive above it as were there, and those leave; done when the page has counted them all. */
  async function comeAndGo(): Promise<void> {
    const before = (await seenFresh(other, 'all')).lines.slice(0, HALF);
    const arrivals = arrive(urgent, HALF);
    for (const { id } of before) await review(other, id);
    await arrivals;
    const fresh = await seenFresh(reader, 'all');
    await page.getByRole('link', { name: new RegExp(`^All ${fresh.counts.all}$`) }).waitFor();
    await someFrames();
  }

  async function someFrames(): Promise<void> {
    const { frames } = await moved();
    await expect.poll(async () => (await moved()).frames).toBeGreaterThan(frames + 2);
  }

  it('under the pointer', async () => {
    await row(page, 'Calm 10').hover();
    await watchLine('Calm 10');
    await comeAndGo();
    expect((await moved()).moved).toBe(0);
    const under = await row(page, 'Calm 10').evaluate((line) => line.matches(':hover'));
    expect(under).toBe(true);
  });

  it('under a pointer at its lower edge, where what is new is told', async () => {
    const edge = await list(page).evaluate((box) => {
      box.scrollTop -= (box.scrollTop + box.clientHeight) % 44;
      const { left, bottom } = box.getBoundingClientRect();
      return { x: left + 60, y: bottom - 10 };
    });
    await page.mouse.move(edge.x, edge.y);
    await watchLine('Calm 10');
    await comeAndGo();
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
    await watchLine('Calm 10');
    await page.mouse.move(x, 10);
    await arrive(urgent, 1);
    await page.getByRole('link', { name: new RegExp(`^All ${HALF + CALM + 1}$`) }).waitFor();
    expect((await moved()).moved).toBe(0);
  });

  it('at its end, though more come above than were drawn before', async () => {
    await list(page).evaluate((box) => (box.scrollTop = box.scrollHeight));
    await watchLine('Calm 29');
    await arrive(urgent, HALF);
    await page.getByRole('link', { name: new RegExp(`^All ${2 * HALF + CALM}$`) }).waitFor();
    await someFrames();
    expect((await moved()).moved).toBe(0);
  });

  it('when the line that has the focus was scrolled out of sight', async () => {
    const first = list(page).locator('[data-line]').first();
    await first.evaluate((line: HTMLElement) => line.focus({ preventScroll: true }));
    await watchLine('Calm 10');
    await arrive(urgent, HALF);
    await page.getByRole('link', { name: new RegExp(`^All ${2 * HALF + CALM}$`) }).waitFor();
    await someFrames();
    expect((await moved()).moved).toBe(0);
    expect(await first.evaluate((line) => line === document.activeElement)).toBe(true);
  });

  it('when it could not be refreshed: what says so stands below', async () => {
    house().excuse(/net::ERR|WebSocket connection|Failed to fetch|status of 5\d\d/);
    const sockets: WebSocketRoute[] = [];
    await page.routeWebSocket(/socket\.io/, (socket) => {
      socket.connectToServer();
      sockets.push(socket);
    });
    await page.reload();
    await settle();
    await page.locator('[data-live=live]').waitFor();
    const failed = page.getByText('This list could not be refreshed');
    await page.clock.install();
    await row(page, 'Calm 10').hover();
    await watchLine('Calm 10');
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
    await watchLine('Calm 11');
    await comeAndGo();
    expect((await moved()).moved).toBe(0);
    expect(await row(page, 'Calm 11').evaluate((line) => line === document.activeElement)).toBe(true);
  });
});
