// Tests the order of the list: sorts, groups, arrivals that wait, keys across groups, and why an item is the next one.
import type { Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { aSubmission, join, openProject, type OpenProject } from '../../server/test/builders.ts';
import { person, type Person } from '../../server/test/client.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';
import { checkAppearances, expectFits, saveScreenshot, setAppearance } from '../support/page-checks.ts';
import { row, waitUntilIdle } from '../support/queue.ts';

const chromium = await findChromium();

/** In the order of arrival, which is due order. `legal` escalates. */
const ITEMS = [
  { name: 'First', confidence: 0.81, risk_flags: [] },
  { name: 'Second', confidence: 0.74, risk_flags: ['refund'] },
  { name: 'Third', confidence: 0.9, risk_flags: ['legal', 'refund'] },
  { name: 'Fourth', confidence: 0.72, risk_flags: [] },
];

describe.skipIf(chromium === undefined)('QU25: the order of the list', () => {
  const browserEnv = useBrowserEnvironment();
  let project: OpenProject;
  let supervisor: Person;
  let page: Page;

  beforeAll(async () => {
    const { owner, enter } = browserEnv();
    project = await openProject(owner, { settings: { escalate_flags: ['legal'] } });
    supervisor = await person(owner.testEnv);
    await join(project, supervisor, 'supervisor');
    for (const item of ITEMS) await submit(item);
    page = await enter(supervisor, '/queue');
    await row(page, 'First').waitFor();
  });

  const submit = ({ name, ...rest }: { name: string; confidence?: number; risk_flags?: string[] }) =>
    project.pipeline.submit(aSubmission({ input: { question: name }, ...rest }));

  /** The rows, and the titles of groups in parentheses. */
  const shown = () =>
    page.getByRole('grid').evaluate((grid) =>
      [...grid.querySelectorAll('[role=row]')].map((line) => {
        const title = line.querySelector('[role=rowheader]')?.textContent.trim();
        return title === undefined
          ? (/First|Second|Third|Fourth|Fifth|Sixth/.exec(line.textContent)?.[0] ?? '')
          : `(${title})`;
      }),
    );
  /** In px, of each block of rows: what its height, which is not that of its content, leaves below its last row. */
  const spareHeights = () =>
    page
      .getByRole('rowgroup')
      .evaluateAll((blocks) =>
        blocks.map(
          (block) => block.clientHeight - [...block.children].reduce((sum, row) => sum + row.clientHeight + 1, 0),
        ),
      );
  const orderIs = (expected: readonly string[]) => expect.poll(shown).toEqual(expected);
  const button = () => page.getByRole('button', { name: 'Sort and group' });

  async function choose(label: 'Sort by' | 'Group by', option: string): Promise<void> {
    if ((await button().getAttribute('aria-expanded')) !== 'true') await button().click();
    await page.getByLabel(label).selectOption(option);
  }

  it('is due first; each other sort is in the URL, and stays after a reload', async () => {
    await orderIs(['First', 'Second', 'Third', 'Fourth']);
    for (const [sort, expected] of [
      ['newest', ['Fourth', 'Third', 'Second', 'First']],
      ['confidence', ['Fourth', 'Second', 'First', 'Third']],
      ['flag', ['Third', 'Second', 'First', 'Fourth']],
    ] as const) {
      await choose('Sort by', sort);
      await orderIs(expected);
      expect(new URL(page.url()).search).toBe(`?sort=${sort}`);
    }
    await checkAppearances(page, 'queue-order-menu');
    await page.keyboard.press('Escape');
    expect(await button().getAttribute('aria-expanded')).toBe('false');
    await page.reload();
    await orderIs(['Third', 'Second', 'First', 'Fourth']);
  });

  it('QU26: grouped, the titles count their rows, and J and K go through all groups', async () => {
    await page.mouse.move(2, 2);
    await choose('Group by', 'flag');
    const grouped = [
      '(legal · 1 item)',
      'Third',
      '(refund · 1 item)',
      'Second',
      '(No flag · 2 items)',
      'First',
      'Fourth',
    ];
    await orderIs(grouped);
    expect(await spareHeights()).toEqual([0]);
    expect(new URL(page.url()).search).toBe('?sort=flag&group=flag');
    await page.keyboard.press('Escape');
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');
    await row(page, 'Third').focus();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await expect.poll(focused).toContain('Second');
    await page.keyboard.press('j');
    await expect.poll(focused).toContain('First');
    await page.keyboard.press('k');
    await expect.poll(focused).toContain('Second');
    await checkAppearances(page, 'queue-grouped');
    for (const width of [768, 1280, 1920]) {
      await setAppearance(page, { colorScheme: 'light', size: { width, height: 900 } });
      await saveScreenshot(page, `queue-grouped-${width}`);
      await expectFits(page);
    }
    await setAppearance(page, { colorScheme: 'light', size: { width: 1440, height: 900 } });
  });

  it('QU1: what arrives above waits while the focus is in the list, for as long as it is', async () => {
    await choose('Group by', 'none');
    await choose('Sort by', 'newest');
    await page.keyboard.press('Escape');
    await orderIs(['Fourth', 'Third', 'Second', 'First']);
    await row(page, 'Third').focus();
    await submit({ name: 'Fifth', confidence: 0.8 });
    await page.getByRole('button', { name: /^1 new/ }).waitFor();
    await orderIs(['Fourth', 'Third', 'Second', 'First']);
    await page.getByRole('button', { name: /^1 new/ }).click();
    await orderIs(['Fifth', 'Fourth', 'Third', 'Second', 'First']);
  });

  it('QU27: says that the next item does not depend on it, and why it is the next one', async () => {
    await page.getByText('Next takes escalated items first, then the oldest due.').first().waitFor();
    await page.mouse.move(2, 2);
    await page.getByRole('button', { name: /^Claim next/ }).click();
    await page.getByRole('status').getByText('Escalated items come first').waitFor();
    await page.getByRole('heading', { name: 'Third' }).first().waitFor();
    await page.getByRole('button', { name: /^Back to due order/ }).click();
    await page.getByRole('button', { name: /^Back to due order/ }).waitFor({ state: 'detached' });
    await page.goto(new URL('/queue', page.url()).href);
    await waitUntilIdle(page);
    await page.getByRole('button', { name: /^Claim next/ }).click();
    await page.getByRole('status').getByText('Oldest due').waitFor();
    await page.getByRole('heading', { name: 'First' }).first().waitFor();
  });
});
