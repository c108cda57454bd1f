// Tests editing in Chromium: only what was edited changes, two tabs keep both drafts, all of a suggestion is readable.
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { aSubmission, openProject } from '../../server/test/builders.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';
import { signIn } from '../support/injected-wallet.ts';
import { saveScreenshot, checkAppearances, ONCE_EACH, WIDE } from '../support/page-checks.ts';

const chromium = await findChromium();
const LINES = Array.from({ length: 60 }, (_, n) => `Clause ${n + 1} stands here.`);

const answer = (page: Page) => page.getByLabel('Your answer');
const drafts = (page: Page) => page.getByRole('region', { name: 'Other drafts of this item' });
/** The name of the group that has the focus. */
const groupInFocus = (page: Page) =>
  page.evaluate(() => document.activeElement?.closest('[role=group]')?.getAttribute('aria-label'));
/** The caret is in the text. */
const inText = (page: Page) => page.locator('textarea:focus').waitFor();
/** Claimed and seen: from now on its keys work (QU2). */
const yours = async (page: Page) => {
  await page.getByText('Yours for').waitFor();
  await page.locator('[data-actions-enabled=true]').waitFor();
};

describe.skipIf(chromium === undefined)('editing', () => {
  const browserEnv = useBrowserEnvironment();

  /** Creates an item in a project of its own, and opens it. */
  async function anItem(submission: Parameters<typeof aSubmission>[0]) {
    const project = await openProject(browserEnv().owner);
    const { id } = await project.pipeline.submit(aSubmission(submission));
    return { id, project, path: `/queue?view=all&project=${project.id}&item=${id}` };
  }

  it('QU18, QU13, QU14: shows the whole suggestion, edits one line, and takes the reason by digit', async () => {
    const suggestion = LINES.map((line, at) => line + ['\r\n', '\n', '\r'][at % 3]).join('') + 'The last one';
    const { id, project, path } = await anItem({ suggestion });
    const page = await browserEnv().enter(browserEnv().owner, path);
    await page.getByRole('button', { name: 'Claim', exact: true }).click();
    await yours(page);
    await page.getByText('The last one').waitFor();
    expect(await page.getByRole('button', { name: /^Show [0-9,]+ more/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'More below' }).click();
    await page.getByRole('button', { name: 'More below' }).waitFor({ state: 'detached' });
    await checkAppearances(page, 'suggestion-whole', ONCE_EACH);

    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await inText(page);
    await page.keyboard.type('!');
    await page.keyboard.press('Control+Enter');
    const why = page.getByText('Pick a reason to submit');
    await why.waitFor();
    await expect.poll(() => groupInFocus(page)).toBe('Why');
    await checkAppearances(page, 'edit-why', ONCE_EACH);
    // The pane was rendered again for the other width: the reason prompt keeps the focus.
    await answer(page).waitFor();
    await expect.poll(() => groupInFocus(page)).toBe('Why');
    // Back to the text, unchanged; and to the reason prompt again.
    await page.keyboard.press('Escape');
    await inText(page);
    await page.keyboard.type('!');
    await page.keyboard.press('Control+Enter');
    await why.waitFor();
    await expect.poll(() => groupInFocus(page)).toBe('Why');
    await page.keyboard.press('1');
    await expect
      .poll(async () => (await project.pipeline.read(id)).decision)
      .toMatchObject({
        action: 'edit',
        output: `${suggestion}!!`,
      });
  });

  it('QU18: keeps the line endings of a form field, and does not count text that was typed and removed as an edit', async () => {
    const suggestion = { text: 'a\r\nb\rc', sum: 1, big: 9_007_199_254_740_991 };
    const { id, project, path } = await anItem({ suggestion });
    const page = await browserEnv().enter(browserEnv().owner, path);
    await page.getByRole('button', { name: 'Claim', exact: true }).click();
    await yours(page);
    await page.keyboard.press('e');
    const field = page.getByLabel('text', { exact: true });
    await field.press('End');
    await field.pressSequentially('x');
    await field.press('Backspace');
    await page.keyboard.press('Control+Enter');
    await page.getByText('No changes yet').first().waitFor();
    await field.press('Control+End');
    await field.pressSequentially('d');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Pick a reason to submit').waitFor();
    await expect.poll(() => groupInFocus(page)).toBe('Why');
    await page.keyboard.press('1');
    await expect
      .poll(async () => (await project.pipeline.read(id)).decision?.output)
      .toEqual({ ...suggestion, text: 'a\r\nb\rcd' });
  });

  it('QU19: keeps both drafts of two tabs of one person through reload and sign-out, and switches between them', async () => {
    const { path } = await anItem({ suggestion: 'The suggestion.' });
    const { owner, visit, frontProxy, allowConsoleError } = browserEnv();
    // What the page still reads when it signs out.
    allowConsoleError(/status of 401 .*\/history$/);
    const one = await visit(owner.wallet, path);
    await signIn(one);
    await one.getByRole('button', { name: 'Claim', exact: true }).click();
    await yours(one);
    const two = await one.context().newPage();
    await two.goto(frontProxy.url + path);
    for (const page of [one, two]) {
      await yours(page);
      await page.keyboard.press('e');
      await answer(page).waitFor();
    }
    await Promise.all([answer(one).fill('Typed in the first.'), answer(two).fill('Typed in the second.')]);
    await drafts(one).getByText('second.').first().waitFor();
    await drafts(two).getByText('first.').first().waitFor();
    expect(await answer(one).inputValue()).toBe('Typed in the first.');
    await checkAppearances(one, 'two-drafts', ONCE_EACH);
    await Promise.all([one.reload(), two.reload()]);
    await Promise.all([answer(one).waitFor(), answer(two).waitFor()]);
    expect([await answer(one).inputValue(), await answer(two).inputValue()]).toEqual([
      'Typed in the first.',
      'Typed in the second.',
    ]);
    await two.close();

    await one.getByRole('button', { name: /^Account/ }).click();
    await one.getByRole('button', { name: 'Sign out' }).click();
    await signIn(one);
    await one.goto(frontProxy.url + path);
    await answer(one).waitFor();
    expect(await answer(one).inputValue()).toBe('Typed in the first.');
    await drafts(one)
      .getByRole('button', { name: /^Switch to/ })
      .click();
    await expect.poll(() => answer(one).inputValue()).toBe('Typed in the second.');
    await drafts(one).getByText('first.').first().waitFor();
  });

  it('QU13, QU15, QU17: keeps the colours of images, tells an empty value from blanks, and prints the item, also in forced colours', async () => {
    const picture =
      'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
    const input = { picture, empty: '', blank: '  ', nothing: null, text: LINES.join('\n') };
    const { path } = await anItem({ input, suggestion: [{ a: 1, b: '' }, { a: 2, b: ' ' }, { a: 3 }] });
    const page = await browserEnv().enter(browserEnv().owner, path);
    const shown = page.getByRole('img', { name: 'Image from the submission' });
    expect(await shown.evaluate((image) => getComputedStyle(image).filter)).toBe('none');
    // The table is loaded on demand.
    const unlike = page.getByRole('table').getByText(/^(missing|empty text|blank text, 1 character)$/);
    await expect.poll(() => unlike.count()).toBe(3);
    await checkAppearances(page, 'values', ONCE_EACH);
    await page.reload();

    const line = page.locator('[data-line][aria-selected=true]');
    await page.emulateMedia({ forcedColors: 'active' });
    await saveScreenshot(page, 'forced-colours');
    expect(await line.evaluate((row) => getComputedStyle(row).outlineStyle)).toBe('solid');
    await page.emulateMedia({ forcedColors: 'none', media: 'print', colorScheme: 'dark' });
    await saveScreenshot(page, 'print', true);
    for (const chrome of [page.getByRole('navigation').first(), page.getByRole('banner'), line])
      expect(await chrome.isVisible()).toBe(false);
    for (const name of ['Claim', 'Copy input'])
      expect(await page.getByRole('button', { name, exact: true }).isVisible()).toBe(false);
    await page.getByRole('table').waitFor();
    const end = page.getByText(LINES.at(-1) ?? '');
    const [box, height] = [await end.boundingBox(), await page.evaluate(() => document.documentElement.scrollHeight)];
    expect((box?.y ?? Infinity) + (box?.height ?? 0)).toBeLessThanOrEqual(height);
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--s2'))).toMatch(
      /^oklch\((?:1|100%) 0 0\)$/,
    );
    await page.emulateMedia({ media: 'screen' });
    await page.setViewportSize(WIDE);
  });
});
