// Tests the deadline of a project in a real Chromium: its settings, the change log, and what passed on the overview.
import { describe, it } from 'vitest';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { aSubmission } from '../../server/test/builders.ts';
import { checkAppearances, saveScreenshot } from '../support/page-checks.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';

const chromium = await findChromium();

describe.skipIf(chromium === undefined)('DL6: the deadline of a project', () => {
  const browserEnv = useBrowserEnvironment();

  it('is set, checked and logged, and what passes is counted and listed live', { timeout: 180_000 }, async () => {
    const { owner, project, enter, testEnv } = browserEnv();
    const of = (tab: string) => `/projects/${project.id}/${tab}`;
    const page = await enter(owner, of('rules'));
    await page
      .getByText('Items that are submitted without a deadline wait until they are decided or withdrawn')
      .waitFor();
    const minutes = page.getByLabel('Deadline', { exact: true });
    await minutes.fill('0');
    await page.getByText('Must be 1 to 525600.').waitFor();
    await minutes.fill('90');
    await page.getByText('An undecided item expires 1 h 30 min after it arrived').waitFor();
    await page.getByRole('group', { name: 'At the deadline' }).getByText('Escalate').click();
    await page.getByText('An undecided item goes to supervisors 1 h 30 min after it arrived').waitFor();
    await page.getByRole('group', { name: 'At the deadline' }).scrollIntoViewIfNeeded();
    await checkAppearances(page, 'deadline-settings');
    await saveScreenshot(page, 'deadline-settings-whole', true);
    await page.getByRole('button', { name: /^Save as/ }).click();
    await page.getByRole('button', { name: /^Save as/ }).waitFor({ state: 'detached' });

    await page.goto(new URL(of('changes'), page.url()).href);
    await page.getByText('at the deadline').first().waitFor();
    await page.getByText('90 min').first().waitFor();
    await checkAppearances(page, 'deadline-change-log');

    await page.goto(new URL(of('overview'), page.url()).href);
    await page.getByText('No item has ended at its deadline.').waitFor();
    await page.getByText('ended by deadline today').waitFor();
    const list = await enter(owner, '/projects');
    await list.getByRole('columnheader', { name: 'Ended by deadline today' }).waitFor();
    const submit = async (title: string, on_deadline: 'expire' | 'reject') =>
      (await project.pipeline.submit(aSubmission({ title, on_deadline }))).id;
    const ids = [await submit('The parcel that waits', 'expire'), await submit('The order that waits', 'reject')];
    for (const id of ids) await testEnv.sql('update item set deadline = deadline_clock() where id = $1', [id]);
    await page.getByRole('link', { name: 'ended by deadline today' }).waitFor();
    const passed = page.getByRole('list', { name: 'Passed deadlines' });
    await passed.getByText('The parcel that waits').waitFor();
    await passed.getByText('rejected').waitFor();
    await checkAppearances(page, 'deadline-overview');

    const link = list.getByRole('link', { name: `2 ended by deadline today in ${project.project.name}` });
    await link.waitFor();
    await checkAppearances(list, 'deadline-projects');
    await link.click();
    await list.getByRole('heading', { name: 'Passed deadlines' }).waitFor();
    await list.getByRole('link', { name: 'The order that waits' }).click();
    await list.getByText('The deadline passed without a decision, so this item was rejected').waitFor();
  });
});
