// Tests QU2 and QU5: the queue by keyboard alone, from sign-in to every action; changing keys and switching them off.
import type { Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { changeProject } from '@countersign/shared/routes/projects';
import { claimItem, readQueueItem } from '@countersign/shared/routes/queue';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { aSubmission } from '../../server/test/builders.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';
import { expectAccessible } from '../support/page-checks.ts';
import { watchForText } from '../support/transient-text.ts';
import { waitUntilIdle, setUndoWindowToOneDay } from '../support/queue.ts';

const chromium = await findChromium();

describe.skipIf(chromium === undefined)('the queue by keyboard alone', () => {
  const browserEnv = useBrowserEnvironment();
  let page: Page;

  const press = (...keys: string[]) =>
    keys.reduce((done, key) => done.then(() => page.keyboard.press(key)), Promise.resolve());
  const read = (id: string) => browserEnv().owner.call(readQueueItem, { params: { id } });
  const approve = () => page.getByRole('button', { name: 'Approve', exact: true });
  /** This item is open and its actions are enabled. Checked in this order: the previous item was ready too. */
  const ready = async (suggestion: string) => {
    await page.getByRole('region', { name: 'Item' }).getByText(suggestion).first().waitFor();
    await approve().and(page.locator(':enabled')).waitFor();
    await page.locator('[data-actions-enabled=true]').waitFor();
  };
  const focused = () =>
    page.evaluate(() => (document.activeElement?.matches('button') ? document.activeElement.textContent.trim() : ''));
  /** Keys typed before the palette has the focus are lost. */
  const inPalette = () => page.getByRole('combobox', { name: 'Search or run' }).and(page.locator(':focus')).waitFor();
  const giveBack = async () => {
    const shownText = await watchForText(page, 'Item released');
    await press('q');
    await shownText();
  };
  const submit = async (suggestion: string) =>
    (await browserEnv().project.pipeline.submit(aSubmission({ suggestion }))).id;

  beforeAll(async () => {
    const { testEnv, owner, project, visit } = browserEnv();
    await owner.call(changeProject, {
      params: { id: project.id },
      body: {
        settings_version: project.project.settings_version,
        undo_window_seconds: 30,
        reasons: ['Wrong fact', 'Policy', 'Other'],
      },
    });
    await setUndoWindowToOneDay(testEnv, project.id);
    page = await visit(owner.wallet, '/queue');
    await page.getByRole('button', { name: 'Test Wallet' }).waitFor();
    while (!(await focused()).includes('Test Wallet')) await press('Tab');
    await press('Enter');
    await page.waitForURL(/\/queue/);
    await page.getByRole('heading', { level: 1, name: /Available\s*0/ }).waitFor();
  });

  it('claims, approves by one key, rejects by two, edits, escalates, undoes', async () => {
    const [first, second, third, fourth] = [
      await submit('One'),
      await submit('Two'),
      await submit('Three'),
      await submit('Four'),
    ];
    await page.getByRole('row').nth(3).waitFor();
    await press('n');
    await ready('One');
    await press('a');
    await ready('Two');
    expect(await read(first)).toMatchObject({ status: 'approved' });
    await press('r', '2');
    await ready('Three');
    expect((await read(second)).decision).toMatchObject({ action: 'reject', reason: 'Policy' });
    await press('e');
    await page.locator('textarea:focus').waitFor();
    await page.keyboard.type(' and more a r u');
    await press('Escape', 'e');
    await page.locator('textarea:focus').waitFor();
    // The draft is restored; a digit chooses a reason once the focus has left the text.
    const area = page.locator('textarea').first();
    expect(await area.inputValue()).toBe('Three and more a r u');
    await page.getByRole('button', { name: /Wrong fact/ }).focus();
    await press('1', 'Control+Enter');
    await ready('Four');
    expect((await read(third)).decision).toMatchObject({
      action: 'edit',
      output: 'Three and more a r u',
      reason: 'Wrong fact',
    });
    await press('u', '2');
    await expect.poll(async () => (await read(fourth)).status).toBe('escalated');
    // Only the owner may decide the escalated item; it opens only on request, not as the next item.
    await waitUntilIdle(page);
    await press('n');
    await page.getByRole('button', { name: 'Withhold' }).and(page.locator(':enabled')).waitFor();
    await ready('Four');
    await press('a');
    await expect.poll(async () => (await read(fourth)).status).toBe('approved');
    // No next item is left: undo still works, also while the page requests the next item.
    await page.getByRole('button', { name: 'Undo', exact: true }).first().waitFor();
    await press('z');
    await ready('Four');
    await expect.poll(async () => (await read(fourth)).status).toBe('escalated');
    await giveBack();
  });

  it('QU2: decides nothing while a key is held, in a field, or under a dialog', async () => {
    const held = await submit('Held');
    await page.getByRole('row').filter({ hasText: 'Question' }).first().waitFor();
    await press('Control+k');
    await inPalette();
    await expectAccessible(page);
    await page.keyboard.type('claim next');
    await page.getByRole('option', { name: 'Claim next' }).waitFor();
    await press('Enter');
    await approve().waitFor();
    await page.locator('[data-actions-enabled=true]').waitFor();
    const shown = await page.locator('#item-heading').textContent();
    await press('?');
    await page.getByRole('dialog').waitFor();
    await expectAccessible(page);
    await press('a', 'Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await press('c');
    await page.locator('textarea:focus').waitFor();
    await page.keyboard.type('a1 r2');
    await press('Escape');
    expect(await page.locator('#item-heading').textContent()).toBe(shown);
    expect((await read(held)).decision).toBeNull();
    // The page keeps the note for the decision.
    await press('c');
    expect(await page.locator('textarea:focus').inputValue()).toBe('a1 r2');
    await press('Escape');
    await page.locator('textarea').waitFor({ state: 'detached' });
    await giveBack();
  });

  it('QU5: shows the key of every action at every width, and cuts no label', async () => {
    const id = await submit('Wide or narrow');
    await browserEnv().owner.call(claimItem, { params: { id } });
    await page.goto(`${new URL(page.url()).origin}/queue?item=${id}`);
    await ready('Wide or narrow');
    const actions = page.getByRole('group', { name: 'Actions' }).getByRole('button');
    const shown = () =>
      actions.evaluateAll((buttons) =>
        buttons.map((button) => {
          const label = button.querySelector('.truncate');
          const isWhole = label !== null && label.scrollWidth <= label.clientWidth;
          return `${button.querySelector('kbd')?.checkVisibility() === true ? 'key' : 'none'} ${isWhole ? '' : 'cut'}`.trim();
        }),
      );
    for (const width of [1440, 1280, 1100, 960, 800, 700, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await expect.poll(async () => [...new Set(await shown())], { message: `${width}` }).toEqual(['key']);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    await giveBack();
    await page.goto(`${new URL(page.url()).origin}/queue`);
    await waitUntilIdle(page);
  });

  it('opens an item found by the palette as a new history entry', async () => {
    const [shown, found] = [await submit('Shown first'), await submit('Found by the palette')];
    const inUrl = (id: string) => page.waitForURL((url) => url.searchParams.get('item') === id);
    const region = page.getByRole('region', { name: 'Item' });
    const find = async (id: string) => {
      await press('Control+k');
      await inPalette();
      await page.keyboard.type(id);
      await page.getByRole('option', { name: /Question/ }).waitFor();
      await press('Enter');
      await inUrl(id);
    };
    await find(shown);
    await region.getByText('Shown first').first().waitFor();
    await press('w');
    await page.waitForURL((url) => url.searchParams.has('view'));
    await inUrl(shown);
    await find(found);
    await region.getByText('Found by the palette').first().waitFor();
    expect(new URL(page.url()).searchParams.has('view')).toBe(true);
    await page.goBack();
    await region.getByText('Shown first').first().waitFor();
    // A command that only changes the list keeps what is open, also in the URL.
    await press('g', 'q');
    await page.waitForURL((url) => !url.searchParams.has('view') && url.searchParams.get('item') === shown);
    await region.getByText('Shown first').first().waitFor();
  });

  it('QU5: swaps the key of Approve to G, decides with it, and shows it everywhere', async () => {
    const id = await submit('By another key');
    await press('?');
    await page.getByRole('dialog').waitFor();
    await page.getByRole('button', { name: 'Change shortcut: Approve' }).focus();
    await press('Enter', 'g');
    await expect.poll(focused).toBe('Swap');
    await press('Enter');
    await page.getByText('Approve is now on G.').waitFor();
    await press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await press('n');
    for (let last = false; !last;) {
      await approve().and(page.locator(':enabled')).waitFor();
      await page.locator('[data-actions-enabled=true]').waitFor();
      expect(await approve().getAttribute('aria-keyshortcuts')).toBe('G');
      last = (await page.getByRole('region', { name: 'Item' }).getByText('By another key').count()) > 0;
      const shown = new URL(page.url()).searchParams.get('item');
      await press('g');
      await page.waitForURL((url) => url.searchParams.get('item') !== shown);
    }
    await expect.poll(async () => (await read(id)).status).toBe('approved');
    // The navigation key is A now. The key behind it counts for a short time, which a busy machine may take for one press.
    const navigates = async () => {
      await press('a', 'p');
      return page.waitForURL(/\/projects$/, { timeout: 5000 }).then(
        () => true,
        () => false,
      );
    };
    await expect.poll(navigates, { timeout: 90_000 }).toBe(true);
  });

  it('QU5: with single-letter keys off, no letter acts on any page, and the key hints are hidden', async () => {
    /** A choice made before the palette has searched picks a different command. */
    const run = async (typed: string, name: string) => {
      await press('Control+k');
      await inPalette();
      await page.keyboard.type(typed);
      await page.getByRole('option', { name }).waitFor();
      await press('Enter');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    };
    await run('single-letter', 'Turn off single-letter shortcuts');
    await expect.poll(() => page.getByRole('button', { name: 'New project' }).locator('kbd').count()).toBe(0);
    await press('c', '?', 'a', 'q');
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(new URL(page.url()).pathname).toBe('/projects');
    // The palette opens by a key combination: it still works, and switches the keys on again.
    await run('turn on single', 'Turn on single-letter shortcuts');
    await page.getByRole('button', { name: 'New project' }).locator('kbd').waitFor();
    await press('?');
    await page.getByRole('button', { name: 'Reset all' }).focus();
    await press('Enter');
    await page.getByText('All shortcuts reset.').waitFor();
  });
});
