// Tests audits in a browser: nothing marks an item that waits, the page explains verdicts, an alert notifies owners.
import { claimItem, decideItem } from '@countersign/shared/routes/queue';
import { changeProject, readProject } from '@countersign/shared/routes/projects';
import type { Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { withAnotherWorker } from '../../server/test/another-worker.ts';
import { aSubmission } from '../../server/test/builders.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';
import {
  saveScreenshot,
  setAppearance,
  checkAppearances,
  ONCE_EACH,
  PHONE,
  THEMES,
  WIDE,
} from '../support/page-checks.ts';

const chromium = await findChromium();

describe.skipIf(chromium === undefined)('audits', () => {
  const browserEnv = useBrowserEnvironment();
  let page: Page;

  const audited = async () => browserEnv().project.pipeline.submit(aSubmission({ confidence: 0.97 }));
  async function judge(action: 'approve' | 'reject'): Promise<void> {
    const { owner } = browserEnv();
    const { id } = await audited();
    const { fence } = await owner.call(claimItem, { params: { id } });
    await owner.call(decideItem, { params: { id }, body: { fence, action, reason: 'Wrong fact' } });
  }
  const shot = (name: string) => saveScreenshot(page, name, true);

  beforeAll(async () => {
    const { owner, project, enter } = browserEnv();
    const params = { id: project.id };
    const { settings_version } = await owner.call(readProject, { params });
    await owner.call(changeProject, { params, body: { settings_version, audit_rate: 1, error_budget: 0.2 } });
    page = await enter(owner, `/analytics?project=${project.id}`);
  });

  const error = () => page.getByRole('region', { name: 'How accurate are auto-approvals?' });

  it('AU4: says what is not known; each verdict updates the sentence', async () => {
    await error().getByText('Not known yet: 100% of auto-approvals are audited').waitFor();
    await audited();
    await error().getByText('Not known yet: 1 sampled, none reviewed').waitFor();
    for (let n = 0; n < 4; n += 1) await judge('approve');
    await error().getByText('Too few audits to tell: at most 64.9% are wrong (95% confidence).').waitFor();
    await error().getByText('16 more error-free audits would confirm that the budget is met.').waitFor();
    await error().getByText('4 reviewed, 16 more error-free to confirm the budget').waitFor();
    await error().getByText('n 4, 0 edited or rejected · 1 pending').waitFor();
    await shot('audits-few');
  });

  it('AU3: marks no item in the queue as an audit; after the decision the item says that what was sent stays', async () => {
    const { project } = browserEnv();
    await page.goto(`${new URL(page.url()).origin}/queue?project_id=${project.id}`);
    await page.getByRole('row').filter({ hasText: '0.97' }).click();
    await page.getByRole('heading', { name: 'Suggestion' }).first().waitFor();
    await page.getByText('Arrived, queued').waitFor();
    expect(await page.locator('main').innerText()).not.toMatch(/audit|auto-approved|automatically/i);
    await shot('audits-item');
  });

  it('AU5: shows owners the alert on every page, with a link to the figures', async () => {
    const { testEnv } = browserEnv();
    // Together with the four verdicts before, these are enough for the alert.
    for (let n = 0; n < 16; n += 1) await judge('reject');
    // A worker checks the budget twice a minute, and when it starts.
    const told = page.getByText('auto-approvals may exceed the error budget.');
    await withAnotherWorker(testEnv, () => told.waitFor());
    await page.getByRole('link', { name: 'View audits' }).click();
    await error().getByText('Possibly over the 20% budget.').waitFor();
    await error().getByRole('button', { name: /table/ }).click();
    await error().getByRole('cell', { name: 'at most (95%), checked continuously' }).waitFor();
    await error()
      .getByRole('button', { name: /plot again/ })
      .click();
    await checkAppearances(page, 'audits-over', ONCE_EACH);
    for (const colorScheme of THEMES) {
      await setAppearance(page, { colorScheme, size: PHONE });
      await error().scrollIntoViewIfNeeded();
      await saveScreenshot(page, `audits-bounds-${colorScheme}-390`);
    }
    await setAppearance(page, { colorScheme: 'light', size: WIDE });
  }, 180_000);

  it('AU5: shows the budget in the settings, with what it does', async () => {
    const { project } = browserEnv();
    await page.goto(`${new URL(page.url()).origin}/projects/${project.id}/rules`);
    await page.getByText('Notify and raise threshold').waitFor();
    expect(await page.getByLabel('Error budget').inputValue()).toBe('0.20');
    await shot('audits-rules');
    await page.getByLabel('Error budget').fill('');
    await page.getByText('Notify and raise threshold').waitFor({ state: 'detached' });
  });
});
