// Tests the clusters of override reasons in a browser: live arrivals, and a supervisor's edits that every viewer sees.
import { claimItem, decideItem } from '@countersign/shared/routes/queue';
import type { Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { aSubmission, join } from '../../server/test/builders.ts';
import { person } from '../../server/test/client.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';
import { checkAppearances, ONCE_EACH, PHONE } from '../support/page-checks.ts';
import { recordShifts, shiftsOf } from '../support/layout-shifts.ts';

const chromium = await findChromium();

describe.skipIf(chromium === undefined)('clusters of reasons', () => {
  const browserEnv = useBrowserEnvironment();
  let page: Page;
  let other: Page;

  async function override(reason: string, flags: string[] = []): Promise<void> {
    const { owner, project } = browserEnv();
    const given = { risk_flags: flags, metadata: { model: 'support-llm' } };
    const { id } = await project.pipeline.submit(aSubmission(given));
    const { fence } = await owner.call(claimItem, { params: { id } });
    await owner.call(decideItem, { params: { id }, body: { fence, action: 'reject', reason } });
  }

  beforeAll(async () => {
    const { owner, project, enter, testEnv } = browserEnv();
    for (const reason of ['Wrong sum', 'Wrong sum', 'the sum is wrong', 'Too long', 'Answer too long', 'Broken link'])
      await override(reason, reason === 'Too long' ? [] : ['high_value']);
    const sam = await person(testEnv);
    await join(project, sam, 'supervisor');
    page = await enter(owner, '/learnings');
    other = await enter(sam, '/learnings');
  });

  const list = (of = page) => of.getByRole('region', { name: 'Reasons' });
  const row = (name: string, of = page) => list(of).getByRole('row', { name });
  const dialog = () => page.getByRole('dialog');
  const examples = () => page.getByRole('region', { name: 'Examples' }).getByRole('article');

  it('CT1: similar reason variants form a cluster; the selected cluster shows its own examples and is in the URL', async () => {
    await row('Wrong sum').getByText('top flag: high_value').waitFor();
    await row('All reasons').getByText('6').waitFor();
    await row('Wrong sum').getByRole('link').click();
    await page.getByRole('heading', { name: 'Wrong sum 3' }).waitFor();
    await expect.poll(() => examples().count()).toBe(3);
    await page.getByText('2 variants:').waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Wrong sum 3' }).waitFor();
    await page.goBack();
    await expect.poll(() => examples().count()).toBe(6);
  });

  it('moves nothing on a phone when the values of its filters come last', async () => {
    const late = await browserEnv().enter(browserEnv().owner, '/account');
    await late.setViewportSize(PHONE);
    const values = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    await late.route('**/learnings/values', async (route) => {
      const response = await route.fetch();
      arrived.resolve();
      await values.promise;
      await route.fulfill({ response });
    });
    await recordShifts(late);
    const lists = [/\/learnings\?/, /\/clusters\?/].map((path) => late.waitForResponse(path));
    await late.goto(new URL('/learnings', late.url()).href);
    await Promise.all([arrived.promise, ...lists]);
    expect(await shiftsOf(late)).toEqual([]);
    values.resolve();
    await row('Wrong sum', late).waitFor();
    // It follows the last example.
    await late.getByText('6 included, 0 excluded').waitFor();
    expect(await shiftsOf(late)).toEqual([]);
  });

  it('CT3: renames, merges and unmerges a cluster for every viewer', async () => {
    await row('Too long').getByRole('link').click();
    await page.getByRole('button', { name: 'Rename' }).click();
    await dialog().getByLabel('Name').fill('Length');
    await dialog().getByRole('button', { name: 'Rename' }).click();
    await row('Length', other).waitFor();
    await page.getByRole('button', { name: 'Merge…' }).click();
    await dialog().getByLabel('Merge into').selectOption({ label: 'Wrong sum (3)' });
    await dialog().getByRole('button', { name: 'Merge' }).click();
    await page.getByRole('heading', { name: 'Wrong sum 5' }).waitFor();
    await row('Length', other).waitFor({ state: 'detached' });
    await page.getByText('Merged in: Length').waitFor();
    await page.getByRole('button', { name: 'Undo merge' }).click();
    await page.getByRole('heading', { name: 'Wrong sum 3' }).waitFor();
    await row('Length', other).waitFor();
  });

  it('CT3: splits a cluster by reason variants, and shows the new one', async () => {
    await page.getByRole('button', { name: 'Split…' }).click();
    const split = dialog().getByRole('button', { name: 'Split' });
    expect(await split.isDisabled()).toBe(true);
    await dialog().getByLabel('the sum is wrong').check();
    await dialog().getByLabel('Name').fill('Sentences');
    await split.click();
    await page.getByRole('heading', { name: 'Sentences 1' }).waitFor();
    await row('Sentences', other).waitFor();
  });

  it('keeps its scroll position when a new cluster arrives, and marks it with a dot', async () => {
    await override('Broken link');
    await row('Broken link').getByText('new examples').waitFor({ state: 'attached' });
    const names = await list().getByRole('rowheader').allInnerTexts();
    expect(names.map((name) => name.split('\n')[0])).toEqual([
      'All reasons',
      'Wrong sum',
      'Broken link',
      'Length',
      'Sentences',
    ]);
    await row('Broken link').getByRole('link').click();
    await page.getByRole('heading', { name: 'Broken link 2' }).waitFor();
    await row('Broken link').getByText('new examples').waitFor({ state: 'detached' });
  });

  it('filters by words, range and kind, and says when nothing matches', async () => {
    await row('All reasons').getByRole('link').click();
    await page.getByRole('searchbox').fill('SUM IS');
    await expect.poll(() => list().getByRole('rowheader').count()).toBe(2);
    await page.getByLabel('Overrides').selectOption({ label: 'Edits' });
    await page.getByText('No results').waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    await row('Broken link').waitFor();
  });

  it('is accessible and fits, in both themes, wide and on a phone', async () => {
    await row('Wrong sum').getByRole('link').click();
    await page.getByRole('heading', { name: 'Wrong sum 2' }).waitFor();
    await checkAppearances(page, 'learnings', ONCE_EACH);
  });
});
