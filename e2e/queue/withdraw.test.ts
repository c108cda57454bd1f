// Tests what a reviewer sees when the pipeline withdraws the item that they hold, with and without a draft.
import { describe, expect, it } from 'vitest';
import { withdrawItem } from '@countersign/shared/routes/public';
import { aSubmission } from '../../server/test/builders.ts';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { ALL_APPEARANCES, expectAccessible, saveScreenshot, setAppearance } from '../support/page-checks.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';
import { watchForText } from '../support/transient-text.ts';

const chromium = await findChromium();

describe.skipIf(chromium === undefined)('a withdrawn item', () => {
  const browserEnv = useBrowserEnvironment();

  it('WD4: is left for the next one, or stays with what was typed there', { timeout: 120_000 }, async () => {
    const { owner, project, enter } = browserEnv();
    const arrive = async (question: string) => {
      const fields = { input: { question }, suggestion: `About: ${question}` };
      return (await project.pipeline.submit(aSubmission({ ...fields, allowed_actions: ['edit', 'respond'] }))).id;
    };
    const withdraw = (id: string) =>
      project.pipeline.call(withdrawItem, { params: { id }, body: { reason: 'The order was cancelled.' } });
    const [first, second] = [await arrive('the first parcel'), await arrive('the second parcel')];
    const third = await arrive('the third parcel');
    const page = await enter(owner, `/queue?item=${first}`);
    await page
      .getByRole('button', { name: /^Claim\b/ })
      .first()
      .click();
    await page.getByText('Yours for').waitFor();
    const said = await watchForText(page, 'The pipeline withdrew this item');
    await withdraw(first);
    await page.getByText('About: the second parcel').first().waitFor();
    await page.getByText('Yours for').waitFor();
    await said();

    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    const field = page.getByRole('textbox', { name: /suggestion|answer/i }).first();
    await field.fill('My own words');
    await withdraw(second);
    await page.getByText('The pipeline withdrew this item. No answer is needed').waitFor();
    await page.getByText('words').first().waitFor();
    await page.getByText('withdrew it: The order was cancelled.').waitFor({ state: 'attached' });
    for (const appearance of ALL_APPEARANCES) {
      await setAppearance(page, appearance);
      await expectAccessible(page, 'section[aria-label="Item"]');
      await saveScreenshot(page, `withdrawn-${appearance.colorScheme}-${appearance.size.width}`);
    }

    await page
      .getByRole('button', { name: /^Next item\b/ })
      .first()
      .click();
    await page.getByText('About: the third parcel').first().waitFor();
    await page.getByText('Yours for').waitFor();
    await page.getByRole('button', { name: 'Respond', exact: true }).click();
    await page.getByRole('textbox', { name: 'Answer in words' }).fill('An answer in words');
    await arrive('the fourth parcel');
    const claims: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      // Renewals of the claim on the withdrawn item do not count.
      if (request.method() === 'POST' && /\/claim(-next)?$/.test(pathname)) claims.push(pathname);
    });
    const saidAgain = await watchForText(page, 'Your draft is saved');
    await withdraw(third);
    await saidAgain();
    await page.getByRole('heading', { name: 'Your draft' }).waitFor();
    await page.getByText('An answer in words').first().waitFor();
    // The next item would have been claimed with the announcement.
    expect(claims).toEqual([]);
    expect(page.url()).toContain(third);
    expect(await project.pipeline.read(second)).toMatchObject({ status: 'withdrawn', decision: null });
  });
});
