// Tests MR and OF1 in Chromium: a reviewer reports a mistake, the supervisor sees it and overturns the decision.
import { describe, expect, it } from 'vitest';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { aSubmission, join, setUndoWindow } from '../../server/test/builders.ts';
import { makeWallet, person } from '../../server/test/client.ts';
import { checkAppearances } from '../support/page-checks.ts';
import { openRow } from '../support/queue.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';

const chromium = await findChromium();

describe.skipIf(chromium === undefined)('MR: a reported mistake', () => {
  const browserEnv = useBrowserEnvironment();

  it('goes from the reviewer to the supervisor, who overturns it, and back into the reviewer’s own figures', async () => {
    const { owner, project, enter, testEnv } = browserEnv();
    await setUndoWindow(project, 0);
    const anna = await person(testEnv, makeWallet());
    await join(project, anna);
    const question = 'May it be returned after a year?';
    await project.pipeline.submit(aSubmission({ input: { question } }));

    const page = await enter(anna, '/queue');
    await openRow(page, question);
    await page.getByText('Yours for').waitFor();
    await page.locator('[data-actions-enabled=true]').waitFor();
    await page.keyboard.press('r');
    await page.getByRole('textbox', { name: 'Filter reasons' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('1');
    const mine = page.getByRole('region', { name: 'You today' });
    await expect.poll(() => mine.innerText()).toMatch(/Decided\s+1\s+Last hour\s+1\s+Overturned, 30 d\s+0%/);
    const report = page.getByRole('link', { name: /^Final\. Open to report a mistake/ });
    await report.waitFor();
    await page.getByRole('link', { name: 'Projects' }).first().click();
    await page.getByRole('heading', { name: 'Projects' }).waitFor();
    await page.getByRole('link', { name: 'Queue' }).first().click();
    await report.waitFor();
    await page.reload();
    await report.click();
    await page.getByRole('button', { name: 'Report a mistake' }).click();
    await page.getByLabel('What is wrong? (optional)').fill('A year is fine for this brand.');
    await page.keyboard.press('Control+Enter');
    await page.getByText('a supervisor will check the decision').waitFor();
    await checkAppearances(page, 'mistake-reported');

    const other = await enter(owner, '/projects');
    await other.getByRole('link', { name: '1 reported mistake' }).click();
    await other.getByText('A year is fine for this brand.').waitFor();
    await checkAppearances(other, 'mistakes');
    await other.getByRole('button', { name: /^Overturn the decision/ }).click();
    await other.getByText('No mistakes to answer').waitFor();
    await page.getByText(/^Overturned by /).waitFor();
    await expect.poll(() => mine.innerText()).toMatch(/Overturned, 30 d\s+100%/);
    await other.getByText('Answered', { exact: true }).click();
    await other.getByText(/^Overturned by /).waitFor();
    expect(await other.getByRole('button', { name: /^Overturn the decision/ }).count()).toBe(0);

    const stored = () => page.evaluate(() => sessionStorage.getItem('countersign.recent'));
    expect(await stored()).toContain(question);
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in with your wallet' }).waitFor();
    expect(await stored()).toBeNull();
  });
});
