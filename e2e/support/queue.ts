// Reads the queue off a page and acts on it, by what the page shows and never by its internal state.
import type { Locator, Page } from 'playwright';
import { expect } from 'vitest';
import { listQueue } from '@countersign/shared/routes/queue';
import { QUEUE_VIEWS, type QueueView } from '@countersign/shared/enums';
import type { Person } from '../../server/test/client.ts';
import type { TestEnvironment } from '../../server/test/test-environment.ts';

/** In ms, how long a page on a busy machine may take to settle; other tests measure speed. */
const SETTLE_MS = 60_000;

export const row = (page: Page, text: string): Locator => page.getByRole('row').filter({ hasText: text });

/** Makes the list show this line: for some seconds after a key the list counts as in use, and arrivals wait below it (QU1). */
export async function showRow(page: Page, text: string): Promise<void> {
  const line = row(page, text);
  const newRows = page.getByRole('button', { name: /^\d+ new/ });
  const isThere = async () => {
    await line.or(newRows).first().waitFor();
    if ((await line.count()) > 0) return true;
    // By key: a click on a line where this was within half a second would count as a double click (QU2).
    await newRows.press('Enter');
    return false;
  };
  await expect.poll(isThere, { timeout: SETTLE_MS }).toBe(true);
}

/** Clicks a line and moves the pointer away: under the pointer the list is anchored, and arrivals wait (QU1). */
export async function openRow(page: Page, text: string): Promise<void> {
  await showRow(page, text);
  await row(page, text).click();
  await page.mouse.move(1, 1);
}

/**
 * Waits until no item is open and none is loading. After a decision a page requests the next item a moment later, and would
 * receive what is submitted until then.
 */
export const waitUntilIdle = (page: Page): Promise<void> =>
  page
    .locator('[data-actions-enabled=true]')
    .filter({ hasText: /No item selected|You're all caught up/ })
    .waitFor();

/**
 * Gives the decisions of this project an undo window of a day, more than its settings allow, so that a slow machine can undo in
 * time.
 */
export async function setUndoWindowToOneDay(testEnv: Pick<TestEnvironment, 'sql'>, projectId: string): Promise<void> {
  await testEnv.sql('update project set undo_window_seconds = 86400 where id = $1', [projectId]);
}

/** The displayed name of a person without a display name. */
export const nameOf = ({ wallet: { address } }: Person): string => `${address.slice(0, 4)}…${address.slice(-4)}`;

/** One line of a queue: its holder, `yours`, or null. */
export interface QueueRow {
  id: string;
  holder: string | null;
}

export interface QueueSnapshot {
  lines: QueueRow[];
  counts: Record<QueueView, number>;
}

/** What a page shows: its lines in order, without those marked as gone, and the counts of its views. */
export async function queueShownOn(page: Page, people: readonly Person[]): Promise<QueueSnapshot> {
  const read = await page.evaluate(() => {
    const lines = [...document.querySelectorAll('[data-line]')].map((line) => ({
      id: line.getAttribute('data-line') ?? '',
      text: line.textContent,
      cells: line.querySelectorAll(':scope > [role=gridcell]').length,
    }));
    const counts = [...document.querySelectorAll('nav[aria-label=Views] a')].map((link) => link.textContent);
    return { lines, counts };
  });
  const holder = (text: string) =>
    /\byours\b/.test(text) ? 'yours' : (people.map(nameOf).find((name) => text.includes(name)) ?? null);
  const count = (index: number) => Number((read.counts[index] ?? '').replace(/\D/g, ''));
  return {
    lines: read.lines.filter(({ cells }) => cells >= 4).map(({ id, text }) => ({ id, holder: holder(text) })),
    counts: Object.fromEntries(QUEUE_VIEWS.map((view, index) => [view, count(index)])) as QueueSnapshot['counts'],
  };
}

/** What the server returns to the same person: what a page opened now would show. */
export async function queueFromServer(
  reviewer: Person,
  view: QueueView,
  via: { process?: number } = {},
): Promise<QueueSnapshot> {
  const { data, counts } = await reviewer.call(listQueue, { query: { view, limit: 500 } }, via);
  const lines = data.map(({ id, claim }) => ({
    id,
    holder: claim === null ? null : claim.user_id === reviewer.id ? 'yours' : claim.name,
  }));
  return { lines, counts };
}

/** Waits until the page matches the server, polling every `every` ms. A timeout reports the difference. */
export async function expectUpToDate(
  page: Page,
  by: {
    reviewer: Person;
    view: QueueView;
    people: readonly Person[];
    every?: number;
    process?: number;
  },
): Promise<void> {
  const { reviewer, view, people, every = 100, process = 0 } = by;
  await expect
    .poll(
      async () => {
        const [seen, fresh] = await Promise.all([
          queueShownOn(page, people),
          queueFromServer(reviewer, view, { process }),
        ]);
        if (JSON.stringify(seen) === JSON.stringify(fresh)) return 'equal';
        return { live: await page.locator('[data-live]').getAttribute('data-live'), seen, fresh };
      },
      { timeout: SETTLE_MS, interval: every },
    )
    .toBe('equal');
}

/**
 * Counts the key presses that the page handled as commands, which it then withholds from the browser. A press that waited is
 * repeated by the page, and counts once.
 */
export async function countHandledKeys(page: Page): Promise<void> {
  await page.evaluate(() => {
    const counter = { handled: 0 };
    Object.assign(window, { handledKeys: counter });
    window.addEventListener('keydown', (event) => {
      // Read after every listener has run.
      setTimeout(() => (counter.handled += event.isTrusted && event.defaultPrevented ? 1 : 0));
    });
  });
}

/** How many presses the page has handled so far. */
export const handledKeys = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    await new Promise((resolve) => setTimeout(resolve));
    return (window as unknown as { handledKeys: { handled: number } }).handledKeys.handled;
  });

const someFrames = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
  });

/**
 * Presses a key until the page handles it. Actions are disabled until the item was seen, and a press that was made before
 * decides nothing (QU2), so it waits for them. Needs `countHandledKeys`.
 */
export async function pressUntilHandled(page: Page, key: string): Promise<void> {
  const before = await handledKeys(page);
  const disabled = page.locator('[data-actions-enabled=false]');
  do {
    await expect.poll(() => disabled.count()).toBe(0);
    await page.keyboard.press(key);
    // Presses without a pause would take the time that the page needs to become ready.
    await someFrames(page);
  } while ((await handledKeys(page)) === before);
}
