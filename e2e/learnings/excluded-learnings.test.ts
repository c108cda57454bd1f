// Tests excluded learnings, learning filters and regression runs in a real browser, by keyboard and pointer.
import { answerCases, listCases } from '@countersign/shared/routes/regressions';
import type { PublicCase } from '@countersign/shared/schemas/regressions';
import { claimItem, decideItem } from '@countersign/shared/routes/queue';
import type { Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { aSubmission, join } from '../../server/test/builders.ts';
import { person } from '../../server/test/client.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';
import { saveScreenshot, checkAppearances, ONCE_EACH } from '../support/page-checks.ts';

const chromium = await findChromium();

describe.skipIf(chromium === undefined)('included and excluded learnings', () => {
  const browserEnv = useBrowserEnvironment();
  let page: Page;
  let other: Page;

  async function override(reason: string, flags: string[] = [], model = 'support-llm'): Promise<void> {
    const { owner, project } = browserEnv();
    const given = { suggestion: `Old ${reason}`, risk_flags: flags, metadata: { model } };
    const { id } = await project.pipeline.submit(aSubmission(given));
    const { fence } = await owner.call(claimItem, { params: { id } });
    const body = { fence, action: 'edit' as const, output: `New ${reason}`, reason };
    await owner.call(decideItem, { params: { id }, body });
  }

  beforeAll(async () => {
    const { owner, project, enter, testEnv } = browserEnv();
    for (const reason of ['Wrong sum', 'Wrong sum', 'the sum is wrong', 'Too long'])
      await override(reason, reason === 'Too long' ? ['legal_hold'] : ['pii'], reason === 'Too long' ? 'm-2' : 'm-1');
    const sam = await person(testEnv);
    await join(project, sam, 'supervisor');
    page = await enter(owner, '/learnings');
    other = await enter(sam, '/learnings');
  });

  const list = (of = page) => of.getByRole('region', { name: 'Reasons' });
  const row = (name: string, of = page) => list(of).getByRole('row', { name });
  const dialog = () => page.getByRole('dialog');
  const examples = (of = page) => of.getByRole('region', { name: 'Examples' }).getByRole('article');
  const query = () => new URL(page.url()).searchParams;

  it('LX5: X excludes the focused example for every viewer, and includes it again', async () => {
    await page.getByText('4 included, 0 excluded').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByText('3 included, 1 excluded').waitFor();
    await examples(other).nth(1).getByText('excluded').waitFor();
    await row('Wrong sum', other).getByText('2', { exact: true }).waitFor();
    expect(await examples().nth(1).getByRole('checkbox').isChecked()).toBe(false);
    await saveScreenshot(page, 'left-out');
    await examples(other).nth(1).getByRole('checkbox', { name: 'Included in exports' }).click();
    await page.getByText('4 included, 0 excluded').waitFor();
    await page.keyboard.press('x');
    await page.getByText('3 included, 1 excluded').waitFor();
  });

  it('filters by exclusion in the URL; Back removes the filter', async () => {
    await page.getByLabel('Included or excluded').selectOption({ label: 'Excluded only' });
    await expect.poll(() => examples().count()).toBe(1);
    expect(query().get('excluded')).toBe('only');
    await page.goBack();
    await expect.poll(() => examples().count()).toBe(4);
  });

  it('offers existing flags, models and sources as filters, the most frequent first; Back works in the search field too', async () => {
    const flags = page.getByLabel('Flag', { exact: true });
    await expect
      .poll(() => flags.getByRole('option').allInnerTexts())
      .toEqual(['Any flag', 'pii (3)', 'legal_hold (1)']);
    await flags.selectOption({ label: 'legal_hold (1)' });
    await expect.poll(() => examples().count()).toBe(1);
    expect(query().get('flag')).toBe('legal_hold');
    await page.goBack();
    await expect.poll(() => examples().count()).toBe(4);
    await expect.poll(() => flags.inputValue()).toBe('');
    await page.getByLabel('Model', { exact: true }).selectOption({ label: 'm-2 (1)' });
    await expect.poll(() => query().get('model')).toBe('m-2');
    await page.goBack();
    await expect.poll(() => examples().count()).toBe(4);
    const search = page.getByRole('searchbox');
    await search.fill('too long');
    await expect.poll(() => examples().count()).toBe(1);
    await page.goBack();
    await expect.poll(() => examples().count()).toBe(4);
    expect([await search.inputValue(), await search.evaluate((field) => field === document.activeElement)]).toEqual([
      '',
      true,
    ]);
  });

  it('LX6: exports the cluster on show', async () => {
    await row('Wrong sum').getByRole('link').click();
    await page.getByRole('heading', { name: 'Wrong sum 2' }).waitFor();
    await page.getByRole('button', { name: 'Export JSONL' }).click();
    // The dialog starts with the current filter.
    await dialog().getByText('2 lines').waitFor();
    await dialog().getByLabel('Scope').selectOption({ label: 'All learnings' });
    await dialog().getByText('3 lines').waitFor();
    await dialog().getByLabel('Scope').selectOption({ label: 'This reason: Wrong sum' });
    await dialog().getByText('2 lines').waitFor();
    expect(await dialog().getByRole('link', { name: 'Download', exact: true }).getAttribute('href')).toContain(
      'cluster=',
    );
    await page.keyboard.press('Escape');
  });

  it('CT3: moves the focus to the result of a change, and links a merged cluster to its target', async () => {
    const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim());
    for (const one of [page, other]) {
      await row('Too long', one).getByRole('link').click();
      await one.getByRole('heading', { name: 'Too long 1' }).waitFor();
    }
    await page.getByRole('button', { name: 'Merge…' }).click();
    await dialog().getByLabel('Merge into').selectOption({ label: 'Wrong sum (2)' });
    await dialog().getByRole('button', { name: 'Merge' }).click();
    await page.getByRole('heading', { name: 'Wrong sum 3' }).waitFor();
    await expect.poll(focused).toMatch(/^Wrong sum\s*3$/);
    await other.getByText('Merged into').waitFor();
    await other.getByRole('link', { name: 'Wrong sum', exact: true }).click();
    await other.getByRole('heading', { name: 'Wrong sum 3' }).waitFor();
    await page.getByRole('button', { name: 'Undo merge' }).click();
    await page.getByRole('heading', { name: 'Wrong sum 2' }).waitFor();
    await expect.poll(focused).toMatch(/^Wrong sum\s*2$/);
    await page.getByRole('button', { name: 'Split…' }).click();
    await dialog().getByLabel('the sum is wrong').check();
    await dialog().getByRole('button', { name: 'Split' }).click();
    await page.getByRole('heading', { name: 'the sum is wrong 0' }).waitFor();
    await expect.poll(focused).toMatch(/^the sum is wrong\s*0$/);
  });

  it('RS: starts a run, receives the pipeline’s answers, and shows the progress', async () => {
    const { pipeline } = browserEnv().project;
    await row('All reasons').getByRole('link').click();
    await page.getByRole('link', { name: 'Regression runs' }).click();
    await page.getByText('No runs yet').waitFor();
    await page.getByLabel('Label, such as a model version').fill('model 8');
    await page.getByRole('button', { name: 'Start run' }).click();
    await page.getByRole('heading', { name: 'model 8' }).waitFor();
    const run = query().get('run') ?? '';
    expect(await page.getByRole('region', { name: 'commands to submit results' }).innerText()).toContain(
      `--run ${run}`,
    );
    await page.getByText('3 no result', { exact: false }).waitFor();
    const { data } = await pipeline.call(listCases, { params: { id: run } });
    const answer = ({ id }: PublicCase, suggestion: string, confidence: number) => ({
      ...{ case_id: id, suggestion, confidence },
    });
    const [first, second] = data;
    if (!first || !second) throw new Error('There are three cases.');
    const items = [answer(first, 'Old Too long', 0.99), answer(second, 'Something else', 0.5)];
    await pipeline.call(answerCases, { params: { id: run }, body: { items } });
    await page.getByText('1 failing suggestion would be auto-approved.').waitFor();
    await page.getByText('Compared with the correction:').waitFor();
    await page.getByLabel('Still failing').check({ force: true });
    await expect.poll(() => examples().count()).toBe(1);
    await page.getByLabel('All', { exact: true }).last().check({ force: true });
    await page.getByRole('link', { name: 'All runs' }).click();
    await page.getByRole('list', { name: 'Runs, newest first' }).getByText('model 8').click();
    await page.getByRole('heading', { name: 'model 8' }).waitFor();
    await page.goBack();
    await page.goBack();
    await page.getByRole('heading', { name: 'model 8' }).waitFor();
  });

  it('is accessible and fits, in both themes, wide and on a phone', async () => {
    await page.getByRole('link', { name: 'Regression runs' }).click();
    await page.getByRole('list', { name: 'Runs, newest first' }).getByText('model 8').click();
    await page.getByText('Compared with the correction:').waitFor();
    await checkAppearances(page, 'runs');
    await page.getByRole('link', { name: 'Examples' }).click();
    await expect.poll(() => examples().count()).toBe(4);
    await checkAppearances(page, 'examples', ONCE_EACH);
  });
});
