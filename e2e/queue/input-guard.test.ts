// Tests that a decision applies to the item a person has seen: under browser translation and at double clicks.
import type { Locator, Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { decideItem, claimItem, readQueueItem } from '@countersign/shared/routes/queue';
import { join } from '../../server/test/builders.ts';
import { makeWallet, person, type Person } from '../../server/test/client.ts';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { expectUntouched, openQueue, pane, waitUntilActionable } from '../support/open-item.ts';
import { shortlist } from '../../server/test/soak.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';
import { waitUntilIdle, openRow, row, showRow } from '../support/queue.ts';

const chromium = await findChromium();
const MINUTE = 60_000;

/** Does what Chrome's translation does: replaces every translatable text node with two `font` elements. */
async function translate(page: Page): Promise<void> {
  await page.evaluate(() => {
    const isOurs = (text: Node) => text.parentElement?.matches('font, font *') === true;
    const give = (text: Node) => {
      if (text.textContent?.trim() === '' || isOurs(text) || text.parentElement?.translate !== true) return;
      const [outer, inner] = [document.createElement('font'), document.createElement('font')];
      inner.textContent = `« ${text.textContent ?? ''} »`;
      outer.append(inner);
      text.parentNode?.replaceChild(outer, text);
    };
    const walk = (root: Node) => {
      const texts: Node[] = [];
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) texts.push(walker.currentNode);
      texts.forEach(give);
    };
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes) for (const node of addedNodes) if (node.isConnected) walk(node);
    }).observe(document.body, { childList: true, subtree: true });
    walk(document.body);
  });
}

/** Clicks at the place of the last click, this many ms after it, on the element that is there by then. */
async function secondClick(page: Page, place: { x: number; y: number }, ms: number): Promise<void> {
  await page.evaluate(
    ({ x, y, ms: later }) => {
      const at = (window as unknown as { clickedAt: number }).clickedAt + later;
      const event = new MouseEvent('click', { bubbles: true, cancelable: true, clientX: x, clientY: y, detail: 1 });
      Object.defineProperty(event, 'timeStamp', { value: at });
      document.elementFromPoint(x, y)?.dispatchEvent(event);
    },
    { ...place, ms },
  );
}

async function noteClicks(page: Page): Promise<void> {
  await page.evaluate(() =>
    window.addEventListener(
      'click',
      ({ timeStamp, isTrusted }) => isTrusted && Object.assign(window, { clickedAt: timeStamp }),
      { capture: true },
    ),
  );
}

describe.skipIf(chromium === undefined)('the input guard', () => {
  const browserEnv = useBrowserEnvironment();

  const own = () => openQueue(browserEnv());
  const read = (id: string) => browserEnv().owner.call(readQueueItem, { params: { id } });

  it('QU9: works item after item with the page translated', { timeout: 3 * MINUTE }, async () => {
    const { owner, enter } = browserEnv();
    const { project, submit } = await own();
    const words = ['Alpha', 'Bravo', 'Charlie', 'Delta'];
    const ids: string[] = [];
    for (const word of words) ids.push(await submit(word));
    const page = await enter(owner, `/queue?project=${project.id}`);
    await row(page, 'Delta').waitFor();
    await translate(page);
    await page.keyboard.press('n');
    for (const [at, word] of words.entries()) {
      await waitUntilActionable(page, `« ${word}! »`);
      const others = words.filter((each) => each !== word);
      const shown = await pane(page).innerText();
      expect(others.filter((other) => shown.includes(other))).toEqual([]);
      // The page's own texts are unchanged, so that the page can update them.
      expect(shown).toContain('Approve');
      expect(shown).not.toContain('« Approve »');
      await page.keyboard.press('a');
      await expect.poll(async () => (await read(ids[at] ?? '')).status).toBe('approved');
    }
  });

  /** Presses a button twice as a person does: at once, before the new item was seen, and late, after it was. */
  async function pressTwice(page: Page, button: Locator, seen: () => Promise<unknown>): Promise<void> {
    await button.and(page.locator(':not([aria-disabled])')).waitFor();
    const box = await button.boundingBox();
    if (box === null) throw new Error('The button has no place.');
    const place = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    await page.mouse.click(place.x, place.y);
    await secondClick(page, place, 80);
    await seen();
    await secondClick(page, place, 450);
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
  }

  const actionButton = (page: Page, name: string) => pane(page).getByRole('button', { name, exact: true });
  const chip = (page: Page) => pane(page).getByRole('button', { name: 'Wrong fact' });

  /** What each action needs before its last press, and the status of the item afterwards. */
  const ACTIONS: [name: string, prepare: (page: Page) => Promise<unknown>, becomes: object][] = [
    ['Approve', () => Promise.resolve(), { status: 'approved' }],
    ['Skip', () => Promise.resolve(), { status: 'queued', claim: null }],
    ['Reject', (page) => chip(page).click(), { status: 'rejected' }],
    ['Escalate', (page) => chip(page).click(), { status: 'escalated' }],
    [
      'Submit edit',
      async (page) => {
        await page.keyboard.press('e');
        await page.locator('textarea:focus').waitFor();
        await page.keyboard.type(' More');
        await chip(page).click();
      },
      { status: 'approved' },
    ],
    ['Return', () => Promise.resolve(), { status: 'queued' }],
    ['Withhold', (page) => chip(page).click(), { status: 'escalated_final' }],
  ];
  /** With and without a reason, in an editor, and on an escalated item: all actions pass one guard. */
  const PRESSED = shortlist(
    ACTIONS.map(([name]) => name),
    ['Approve', 'Submit edit', 'Withhold'],
  );

  it('QU2: a double click does one thing, for every action', { timeout: 4 * MINUTE }, async () => {
    const { owner, enter } = browserEnv();
    const { project, submit } = await own();
    const page = await enter(owner, `/queue?project=${project.id}&view=all`);
    await noteClicks(page);
    for (const [name, prepare, becomes] of ACTIONS.filter(([each]) => PRESSED.includes(each))) {
      const words = [`First to ${name}`, `Second to ${name}`] as const;
      const [first, second] = [await submit(words[0]), await submit(words[1])];
      if (name === 'Return' || name === 'Withhold') for (const id of [first, second]) await escalate(owner, id);
      await showRow(page, words[1]);
      await page.keyboard.press('n');
      await waitUntilActionable(page, `${words[0]}!`);
      await prepare(page);
      await pressTwice(page, actionButton(page, name), () => waitUntilActionable(page, `${words[1]}!`));
      await expectUntouched(page, owner, second);
      await expect.poll(() => read(first), { message: name }).toMatchObject(becomes);
      await page.keyboard.press('q');
      await waitUntilIdle(page);
      for (const id of [first, second]) await finish(owner, id);
    }
  });

  it(
    'QU2: a double click on Undo, Take over, Release or Claim next does one thing',
    { timeout: 4 * MINUTE },
    async () => {
      const { owner, enter, testEnv } = browserEnv();
      const { project, submit } = await own();
      const [first, second] = [await submit('First'), await submit('Second')];
      const page = await enter(owner, `/queue?project=${project.id}&view=all`);
      await noteClicks(page);
      await row(page, 'Second').waitFor();
      await page.keyboard.press('n');
      for (const words of ['First!', 'Second!']) {
        await waitUntilActionable(page, words);
        await page.keyboard.press('a');
      }
      // The newer decision is undone, and the older one stays.
      const undo = page.getByRole('list', { name: 'Your recent decisions' }).getByRole('button', { name: 'Undo' });
      await expect.poll(() => undo.count()).toBe(2);
      await pressTwice(page, undo.first(), () => waitUntilActionable(page, 'Second!'));
      await expectUntouched(page, owner, second);
      expect((await read(first)).status).toBe('approved');
      const giveBack = page.getByRole('button', { name: 'Release' });
      await pressTwice(page, giveBack, () => pane(page).getByText('No item selected').waitFor());
      expect(await read(second)).toMatchObject({ status: 'queued', claim: null });
      // An item that another person holds is taken over, and not decided by the same double click.
      const other = await person(testEnv, makeWallet());
      await join(project, other, 'reviewer');
      await held(other, second);
      await row(page, 'Second').and(page.locator(':has([title])')).first().waitFor();
      await openRow(page, 'Second');
      await pressTwice(page, actionButton(page, 'Take over'), () => waitUntilActionable(page, 'Second!'));
      await expectUntouched(page, owner, second);
      // On a phone the next item appears where the button was, with another button in its place.
      await page.getByRole('button', { name: 'Release' }).click();
      await page.setViewportSize({ width: 390, height: 844 });
      const claim = page.getByRole('button', { name: /^Claim next/ });
      await pressTwice(page, claim, () => waitUntilActionable(page, 'Second!'));
      await expectUntouched(page, owner, second);
    },
  );
});

const held = (reviewer: Person, id: string) => reviewer.call(claimItem, { params: { id } });

async function escalate(reviewer: Person, id: string): Promise<void> {
  const { fence } = await held(reviewer, id);
  await reviewer.call(decideItem, { params: { id }, body: { fence, action: 'escalate', reason: 'Policy' } });
}

/** Decides the items that are still open, so that they do not come up again. */
async function finish(reviewer: Person, id: string): Promise<void> {
  const { status } = await reviewer.call(readQueueItem, { params: { id } });
  if (status !== 'queued' && status !== 'escalated') return;
  const { fence } = await held(reviewer, id);
  await reviewer.call(decideItem, { params: { id }, body: { fence, action: 'approve' } });
}
