// Tests QU28 in a real Chromium: an open item offers its near-duplicates, singly and for one decision together.
import { describe, expect, it } from 'vitest';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { aSubmission } from '../../server/test/builders.ts';
import { checkAppearances } from '../support/page-checks.ts';
import { openRow, row } from '../support/queue.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';

const chromium = await findChromium();

describe.skipIf(chromium === undefined)('QU28: similar items', () => {
  const browserEnv = useBrowserEnvironment();

  it('open one by one, or are selected together and rejected with one reason', async () => {
    const { owner, project, enter } = browserEnv();
    const ask = (order: number, suggestion = 'Yes, within thirty days.') =>
      project.pipeline.submit(
        aSubmission({ input: { question: `May order ${order} be returned after thirty days?` }, suggestion }),
      );
    await ask(4711);
    await ask(4712);
    await ask(4713, 'No.');
    await project.pipeline.submit(aSubmission({ input: { question: 'Which vitamin helps against a cold?' } }));

    const page = await enter(owner, '/queue');
    await openRow(page, '4711');
    await page.getByText('Yours for').waitFor();
    await page.getByRole('button', { name: '2 more like this' }).click();
    await page.getByRole('link', { name: /4713.*Other suggestion/ }).waitFor();
    await checkAppearances(page, 'similar');
    // A phone shows the item in another place, where the list of similar ones opens again.
    await page.getByRole('button', { name: '2 more like this' }).click();
    await page.getByRole('link', { name: /4712.*Same suggestion/ }).click();
    await row(page, '4712').getByText('yours').waitFor();
    await page.getByRole('button', { name: '2 more like this' }).click();
    await page.getByRole('button', { name: 'Select these 2 in the list' }).click();
    await page.getByText('2 selected', { exact: true }).waitFor();
    const bar = page.getByRole('region', { name: 'Selected items' });
    await bar.getByRole('button', { name: 'Reject' }).click();
    await page.getByRole('dialog').getByRole('radio', { name: 'Wrong fact' }).check();
    await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click();
    for (const order of ['4711', '4713']) await expect.poll(() => row(page, order).count()).toBe(0);
    expect(await row(page, '4712').count()).toBe(1);
  });
});
