// Tests the review session in Chromium: the next item is prefetched, a failed decision returns, typed text persists.
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { aSubmission } from '../../server/test/builders.ts';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';
import { signIn } from '../support/injected-wallet.ts';
import { expectAccessible } from '../support/page-checks.ts';

const chromium = await findChromium();

/** Arrival times that make the queue order deterministic: a due time derives from the arrival. */
const QUESTIONS = ['First of all?', 'What comes second?', 'And the third?', 'The fourth one?'];

const heading = (page: Page) => page.locator('#item-heading').textContent();
const focusedId = (page: Page) => page.evaluate(() => document.activeElement?.id);
/** Claimed and seen: from now on its keys work (QU2). */
const yours = async (page: Page) => {
  await page.getByText('Yours for').waitFor();
  await page.locator('[data-actions-enabled=true]').waitFor();
};
/** The action shows its reason prompt: the digits work. */
const reasonPromptIsOpen = async (page: Page) => {
  await yours(page);
  await page.getByRole('group', { name: 'Why reject?' }).getByRole('button', { disabled: false }).first().waitFor();
};

describe.skipIf(chromium === undefined)('the review session', () => {
  const browserEnv = useBrowserEnvironment();

  it('QU2, QU3: shows the next item at once, brings back what was not saved within a second of its clock, and keeps note and draft', async () => {
    const { owner, project, visit, allowConsoleError } = browserEnv();
    allowConsoleError(/Failed to load resource/);
    const ids: string[] = [];
    for (const question of QUESTIONS) {
      const { id } = await project.pipeline.submit(aSubmission({ input: { question }, suggestion: 'An answer.' }));
      ids.push(id);
    }
    const page = await visit(owner.wallet, '/queue');
    await signIn(page);
    await page.getByRole('row').filter({ hasText: 'The fourth one?' }).waitFor();
    await page.keyboard.press('n');
    await yours(page);
    await page.getByText('Next item ready').waitFor();

    // The response is held: the next item is on the screen anyway, and its actions are disabled.
    let releaseResponse: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (releaseResponse = resolve));
    await page.route('**/decision', async (route) => {
      await held;
      await route.continue();
    });
    await page.keyboard.press('a');
    await expect.poll(() => heading(page)).toContain('second');
    expect(await page.getByRole('button', { name: 'Approve', exact: true }).isDisabled()).toBe(true);
    releaseResponse();
    await yours(page);
    await page.unroute('**/decision');
    await expect.poll(async () => (await project.pipeline.read(ids[0] ?? '')).status).toBe('approved');

    // The server failed: the item is back with its note, a second of the page's own clock after the response.
    await page.keyboard.press('c');
    await page.getByLabel('Note for your decision').fill('See page 2.');
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    // In a page whose clock is stopped neither the focus nor the actions become ready.
    await expect.poll(() => focusedId(page)).toBe('item-heading');
    await yours(page);
    let refuseRequest: () => void = () => undefined;
    const refused = new Promise<void>((resolve) => (refuseRequest = resolve));
    await page.route('**/decision', async (route) => {
      const problem = { status: 503, code: 'unavailable', title: 'Not just now', detail: 'Again.', request_id: 'r' };
      await route.fulfill({ status: 503, contentType: 'application/problem+json', body: JSON.stringify(problem) });
      refuseRequest();
    });
    await page.keyboard.press('r');
    await reasonPromptIsOpen(page);
    await page.clock.install();
    // Its clock advances between the two steps: if that was too long, the test repeats them.
    const pause = async () => page.clock.pauseAt(await page.evaluate(() => Date.now() + 500));
    await expect
      .poll(() =>
        pause().then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    await reasonPromptIsOpen(page);
    await page.keyboard.press('1');
    await refused;
    // The response has reached the browser; when the page reads it is not known, so the clock advances second by second.
    const isBack = async () => {
      await page.clock.runFor(1000);
      return page.getByText('Not just now').isVisible();
    };
    await expect.poll(isBack).toBe(true);
    await page.clock.resume();
    expect(await heading(page)).toContain('second');
    await page.unroute('**/decision');
    await page.getByRole('button', { name: 'Retry' }).click();
    await expect.poll(() => heading(page)).toContain('third');
    await expect
      .poll(async () => (await project.pipeline.read(ids[1] ?? '')).decision)
      .toMatchObject({ note: 'See page 2.' });

    // A draft that was not submitted survives a reload.
    await yours(page);
    await page.keyboard.press('e');
    await page.getByLabel('Your answer').fill('Half a thought.');
    await page.reload();
    await page.getByLabel('Your answer').waitFor();
    expect(await page.getByLabel('Your answer').inputValue()).toBe('Half a thought.');
  });

  it('keeps guidelines, notes and actions in thumb reach on a phone, and moves the focus in and back', async () => {
    const { owner, project, visit } = browserEnv();
    await project.pipeline.submit(aSubmission({ input: { question: 'In the hand?' } }));
    const page = await visit(owner.wallet, '/queue');
    await page.setViewportSize({ width: 390, height: 844 });
    await signIn(page);
    await page.getByRole('row').filter({ hasText: 'In the hand?' }).click();
    await yours(page);
    await page.getByRole('button', { name: 'Guidelines', exact: true }).click();
    const sheet = page.getByRole('region', { name: /guidelines/ });
    await sheet.waitFor();
    await expect.poll(() => focusedId(page)).toBe('guidelines-heading');
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
    await expect.poll(() => focusedId(page)).toBe('item-heading');
    for (const name of ['Approve', 'Edit', 'Reject', 'Escalate']) {
      const box = await page.getByRole('button', { name, exact: true }).boundingBox();
      expect(box?.height).toBeGreaterThanOrEqual(44);
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(844);
    }
    await page.getByRole('button', { name: 'Reject', exact: true }).click();
    await page.getByRole('button', { name: 'Add note' }).click();
    await page.getByLabel('Note for your decision').fill('From the train.');
    const reason = page.getByRole('group', { name: 'Why reject?' }).getByRole('button').first();
    expect((await reason.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    await expectAccessible(page);
  });
});
