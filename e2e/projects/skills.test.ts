// Tests who gets which items first, in a browser: an owner adds an entry, reads its forecast, and saves it (SK5).
import { describe, expect, it } from 'vitest';
import { readProject } from '@countersign/shared/routes/projects';
import { aSubmission, join } from '../../server/test/builders.ts';
import { person } from '../../server/test/client.ts';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { checkAppearances, ONCE_EACH } from '../support/page-checks.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';

const chromium = await findChromium();

describe.skipIf(chromium === undefined)('the entries of skills', () => {
  const browserEnv = useBrowserEnvironment();

  it('SK5: says what an entry would do before it is saved', async () => {
    const { testEnv, owner, project, enter } = browserEnv();
    const reviewer = await person(testEnv);
    await join(project, reviewer, 'reviewer');
    for (const risk_flags of [['refund'], ['Refund'], ['other'], []])
      await project.pipeline.submit(aSubmission({ confidence: 0.7, risk_flags }));

    const page = await enter(owner, `/projects/${project.id}/rules`);
    await page.getByRole('button', { name: 'Add an entry' }).click();
    await page.getByLabel('Risk flag', { exact: true }).fill('refund');
    const people = page.getByRole('group', { name: 'Go first to' });
    await people.getByRole('checkbox', { name: reviewer.wallet.address.slice(0, 4) }).check();
    await page.getByRole('button', { name: 'Add entry', exact: true }).click();

    const forecast = page.getByRole('region', { name: 'If you save these entries' });
    const cells = forecast.getByRole('row', { name: 'Items flagged “refund”' }).getByRole('cell');
    await expect.poll(() => cells.allTextContents()).toEqual(['2', '0 of 1', '30 min']);
    await forecast.getByText('Nobody who is active now would get 2 items first').waitFor();
    await enter(reviewer, '/queue');
    await expect.poll(() => cells.allTextContents()).toEqual(['2', '1 of 1', '30 min']);
    await forecast.scrollIntoViewIfNeeded();
    await checkAppearances(page, 'rules-skills', ONCE_EACH);

    // Nothing is reserved before it is saved.
    const skills = async () => (await owner.call(readProject, { params: { id: project.id } })).skills;
    expect(await skills()).toEqual([]);
    await page.getByRole('button', { name: /^Save as/ }).click();
    await expect.poll(skills).toMatchObject([{ match: { flag: 'refund' }, people: [reviewer.id] }]);
    await forecast.getByRole('row', { name: 'Items flagged “refund”' }).waitFor();
  });
});
