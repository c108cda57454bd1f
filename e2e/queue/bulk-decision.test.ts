// Tests the list filter in the URL, and the bulk decision of a supervisor (LC5).
import type { Page } from 'playwright';
import { beforeEach, describe, expect, it } from 'vitest';
import { claimItem } from '@countersign/shared/routes/queue';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { aSubmission, join, openProject, type OpenProject } from '../../server/test/builders.ts';
import { people, type Person } from '../../server/test/client.ts';
import { ALL_APPEARANCES, checkAppearances } from '../support/page-checks.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';
import { watchForText } from '../support/transient-text.ts';
import { row } from '../support/queue.ts';

const chromium = await findChromium();

describe.skipIf(chromium === undefined)('the list', () => {
  const browserEnv = useBrowserEnvironment();
  let supervisor: Person;
  let reviewer: Person;
  let project: OpenProject;
  let ids: string[];
  let page: Page;

  beforeEach(async () => {
    const { testEnv, owner, receiver, enter } = browserEnv();
    [supervisor, reviewer] = (await people(testEnv, 2)) as [Person, Person];
    project = await openProject(owner, { receiver });
    await join(project, supervisor, 'supervisor');
    await join(project, reviewer, 'reviewer');
    ids = [];
    for (let n = 1; n <= 7; n += 1) {
      const flags = n <= 5 ? { risk_flags: ['pii'] } : {};
      const input = { question: `${n <= 5 ? 'Refund' : 'Parcel'} ${n}` };
      ids.push((await project.pipeline.submit(aSubmission({ input, ...flags }))).id);
    }
    page = await enter(supervisor, '/queue');
    await row(page, 'Parcel 7').waitFor();
  });

  const lines = () => page.locator('[data-line]').count();
  const chooseRefunds = async () => {
    await page.getByRole('button', { name: 'Select', exact: true }).click();
    await page.getByRole('checkbox', { name: 'Select Refund 1' }).click();
    await page.getByRole('checkbox', { name: 'Select Refund 5' }).click({ modifiers: ['Shift'] });
    await page.getByText('5 selected').waitFor();
  };
  const approve = async () => {
    await page.getByRole('region', { name: 'Selected items' }).getByRole('button', { name: 'Approve' }).click();
    const dialog = page.getByRole('dialog', { name: 'Approve 5 items?' });
    await dialog.getByRole('button', { name: 'Approve' }).click();
  };

  it('LC5: claims selected items together, decides them one by one, and delivers each to the receiver', async () => {
    await chooseRefunds();
    await approve();
    await page.getByText('5 items decided').first().waitFor();
    await Promise.all(ids.slice(0, 5).map((id) => browserEnv().receiver.next(id)));
    expect(await page.getByRole('checkbox', { name: 'Select Parcel 6' }).isChecked()).toBe(false);
  });

  it('LC7, TS2: skips what cannot be approved, says why in words, and leaves it selected', async () => {
    const answer_schema = { type: 'string', maxLength: 3 };
    const others = [
      { input: { question: 'Refund 8' }, answer_schema },
      { input: { question: 'Refund 9' }, suggestion: null },
      { input: { question: 'Refund 10' }, allowed_actions: ['edit' as const, 'reject' as const] },
    ];
    for (const fields of others) await project.pipeline.submit(aSubmission({ risk_flags: ['pii'], ...fields }));
    await row(page, 'Refund 10').waitFor();
    await page.getByRole('button', { name: 'Select', exact: true }).click();
    for (const number of [5, 8, 9, 10])
      await page.getByRole('checkbox', { name: `Select Refund ${number}`, exact: true }).click();
    const bar = page.getByRole('region', { name: 'Selected items' });
    await bar.getByRole('button', { name: 'Approve' }).click();
    const dialog = page.getByRole('dialog', { name: 'Approve 1 item?' });
    await dialog.getByText('3 items will be skipped and stay selected').waitFor();
    await checkAppearances(page, 'bulk-skips', ALL_APPEARANCES);
    await dialog.getByRole('button', { name: 'Approve' }).click();
    await bar.getByText("Refund 8: The suggestion doesn't fit its schema. Edit or reject instead.").waitFor();
    await bar.getByText('Refund 9: There is no suggestion to approve. Write the answer or reject instead.').waitFor();
    await bar.getByText("Refund 10: The submission doesn't allow “Approve”.").waitFor();
    await bar.getByText('3 selected').waitFor();
    await checkAppearances(page, 'bulk-skipped', ALL_APPEARANCES);
    await bar.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('This is not possible for any of the selected items.').waitFor();
    expect(await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true);
  });

  it('removes an item that another person claims from the selection, and says so', async () => {
    await chooseRefunds();
    const shownText = await watchForText(page, '1 selected item was claimed or decided');
    await reviewer.call(claimItem, { params: { id: ids[2] ?? '' } });
    await page.getByText('4 selected').waitFor();
    await shownText();
  });

  it('keeps the filter in the URL, removes it on Back, and shows only arrivals that match', async () => {
    await page.keyboard.press('/');
    await page.locator('#queue-filter:focus').waitFor();
    await page.keyboard.type('REFUND');
    await expect.poll(lines).toBe(5);
    await expect.poll(() => page.url()).toMatch(/q=REFUND$/);
    const other = await browserEnv().enter(supervisor, new URL(page.url()).pathname + new URL(page.url()).search);
    await row(other, 'Refund 5').waitFor();
    expect(await other.locator('[data-line]').count()).toBe(5);
    await other.context().close();
    await page.mouse.move(1, 1);
    await page.locator('#queue-filter').blur();
    await project.pipeline.submit(aSubmission({ input: { question: 'Parcel 8' } }));
    await project.pipeline.submit(aSubmission({ input: { question: 'Refund 9' } }));
    await row(page, 'Refund 9').waitFor();
    expect(await lines()).toBe(6);
    await page.getByRole('link', { name: /^All 9$/ }).waitFor();
    await page.goBack();
    await row(page, 'Parcel 8').waitFor();
    expect(await page.locator('#queue-filter').inputValue()).toBe('');
  });

  it('names what a filter hides, and shows it with one key', async () => {
    await page.goto(`${browserEnv().frontProxy.url}/queue?flag=legal&q=nothing`);
    await page.getByText('7 items hidden by your filters').waitFor();
    await page.keyboard.press('Escape');
    await row(page, 'Parcel 7').waitFor();
  });

  it('says that it is longer than one page, loads more on request, and searches to its end', async () => {
    const rest = Array.from({ length: 600 }, (_, n) => ({
      project_id: project.id,
      ...aSubmission({ input: { question: `Letter ${n}.` } }),
    }));
    for (const from of [0, 100, 200, 300, 400, 500])
      await project.pipeline.submitBatchRaw(JSON.stringify({ items: rest.slice(from, from + 100) }));
    await page.reload();
    await page.getByText('107 more below').waitFor();
    expect(await lines()).toBe(500);
    await page.locator('#queue-filter').fill('letter 599.');
    await row(page, 'Letter 599.').waitFor();
    await expect.poll(lines).toBe(1);
    await page.getByRole('link', { name: /^Available 607$/ }).waitFor();
    await page.locator('#queue-filter').press('Escape');
    await expect.poll(lines).toBe(500);
    await page.getByRole('button', { name: 'Show more' }).click();
    await expect.poll(lines).toBe(607);
  });
});
