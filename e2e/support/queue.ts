// What the tests of the queue read off a page and do to it. A page is judged by what it shows, never by what it keeps.
import type { Locator, Page } from 'playwright';
import { expect } from 'vitest';
import { listQueue, QUEUE_VIEWS, type QueueView } from '@countersign/shared/api/queue';
import type { Person } from '../../server/test/client.ts';
import type { TestEnvironment } from '../../server/test/test-environment.ts';

/** What a page on a busy machine may take to come to rest, in ms: how fast it is, is measured elsewhere. */
const SETTLE_MS = 60_000;

export const row = (page: Page, text: string): Locator => page.getByRole('row').filter({ hasText: text });

/** Has the list show this line: for some seconds after a key it counts as in use, and what arrives waits below it (QU1). */
export async function showRow(page: Page, text: string): Promise<void> {
  const line = row(page, text);
  const newRows = page.getByRole('button', { name: /^\d+ new/ });
  const isThere = async () => {
    await line.or(newRows).first().waitFor();
    if ((await line.count()) > 0) return true;
    // By key: a line that is clicked within half a second where this was would be a double click (QU2).
    await newRows.press('Enter');
    return false;
  };
  await expect.poll(isThere, { timeout: SETTLE_MS }).toBe(true);
}

/** Clicks a line and takes the pointer away: under it the list stands still, and what arrives waits (QU1). */
export async function openRow(page: Page, text: string): Promise<void> {
  await showRow(page, text);
  await row(page, text).click();
  await page.mouse.move(1, 1);
}

/**
 * Waits until nothing is on show, and nothing on its way. A page that decided asks for what comes next a moment later, and
 * would be given what is submitted until then.
 */
export const waitUntilIdle = (page: Page): Promise<void> =>
  page
    .locator('[data-actions-enabled=true]')
    .filter({ hasText: /No item selected|You're all caught up/ })
    .waitFor();

/** Decisions of this project can be undone for a day, more than its settings allow: no machine is too slow to do it in time. */
export async function setUndoWindowToOneDay(testEnv: Pick<TestEnvironment, 'sql'>, projectId: string): Promise<void> {
  await testEnv.sql('update project set undo_window_seconds = 86400 where id = $1', [projectId]);
}

/** How somebody who has given no name is called. */
export const nameOf = ({ wallet: { address } }: Person): string => `${address.slice(0, 4)}…${address.slice(-4)}`;

/** One line of a queue: who holds it, `yours`, or null. */
export interface QueueRow {
  id: string;
  holder: string | null;
}

export interface QueueSnapshot {
  lines: QueueRow[];
  counts: Record<QueueView, number>;
}

/** What a page shows: its lines in order, without those that only say that an item left, and the counts of its views. */
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

/** What the server says to the same person: what a page that is opened now would show. */
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

/** Waits until the page shows what is, by the server's word, looking `every` so many ms. What it is not is told. */
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
  const { reviewer, view, people, every = 50, process = 0 } = by;
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

/** Counts the key presses that the page took for a command: it then keeps them from the browser. */
export async function countHandledKeys(page: Page): Promise<void> {
  await page.evaluate(() => {
    const counter = { handled: 0 };
    Object.assign(window, { handledKeys: counter });
    window.addEventListener('keydown', (event) => {
      // Read when every listener has had it.
      setTimeout(() => (counter.handled += event.defaultPrevented ? 1 : 0));
    });
  });
}

/** How many presses the page has taken so far. */
export const handledKeys = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    await new Promise((resolve) => setTimeout(resolve));
    return (window as unknown as { handledKeys: { handled: number } }).handledKeys.handled;
  });

/** Presses a key until the page takes it: verbs are dead until their item was seen (QU2). Needs `countKeys`. */
export async function pressUntilHandled(page: Page, key: string): Promise<void> {
  const before = await handledKeys(page);
  do await page.keyboard.press(key);
  while ((await handledKeys(page)) === before);
}
