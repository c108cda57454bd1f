// Tests a reviewer's queue in a project with blind audits: nothing marks an audit item, and the page says why.
import type { Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { changeProject, readProject } from '@countersign/shared/routes/projects';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { aSubmission, join } from '../../server/test/builders.ts';
import { person } from '../../server/test/client.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';
import { checkAppearances, ONCE_EACH } from '../support/page-checks.ts';

const chromium = await findChromium();

describe.skipIf(chromium === undefined)('AU3: blind audits', () => {
  const browserEnv = useBrowserEnvironment();
  let page: Page;

  beforeAll(async () => {
    const { owner, project, enter } = browserEnv();
    const params = { id: project.id };
    const { settings_version } = await owner.call(readProject, { params });
    await owner.call(changeProject, { params, body: { settings_version, audit_rate: 1 } });
    const reviewer = await person(owner.testEnv);
    await join(project, reviewer);
    await project.pipeline.submit(aSubmission({ confidence: 0.97 }));
    await project.pipeline.submit(aSubmission({ confidence: 0.72 }));
    page = await enter(reviewer, `/queue?project=${project.id}`);
  });

  it('hides confidence in line, item and filter, and says so', async () => {
    await page.getByRole('row').filter({ hasText: 'parcel' }).first().click();
    await page.getByRole('heading', { name: 'Suggestion' }).first().waitFor();
    await page.getByText('This project double-checks some auto-approvals.').first().waitFor();
    await page.getByRole('button', { name: 'More filters' }).click();
    await page.getByText('Confidence is hidden here until a decision is final').waitFor();
    expect(await page.locator('main').innerText()).not.toMatch(/0\.97|0\.72|audit/i);
    await checkAppearances(page, 'blind-audits', ONCE_EACH);
  });

  it('hides thresholds on the project’s pages, and says so', async () => {
    for (const tab of ['', '/rules']) {
      await page.goto(new URL(`/projects/${browserEnv().project.id}${tab}`, page.url()).href);
      await page.getByText('Thresholds and confidence are hidden from reviewers').waitFor();
      expect(await page.locator('main').innerText()).not.toMatch(/0\.95|0\.70?\b/);
      await checkAppearances(page, `blind-audits-project${tab.replace('/', '-')}`, ONCE_EACH);
    }
  });
});
