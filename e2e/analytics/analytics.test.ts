// Tests analytics in browsers: pages match the database during live work, plots have tables, days use the time zone.
import { readAnalytics } from '@countersign/shared/routes/analytics';
import type { Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { aSubmission, review } from '../../server/test/builders.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';
import { saveScreenshot, checkAppearances, ONCE_EACH } from '../support/page-checks.ts';

const chromium = await findChromium();
const PLOTS = [
  'How long is the queue?',
  'Are we keeping up?',
  'How long does a decision take?',
  'Are decisions getting slower?',
  'Where is the model wrong?',
  'How many items miss their deadline?',
  'Do suggestions fit their schema?',
  'Who did the work?',
  'Are webhooks delivered?',
];

describe.skipIf(chromium === undefined)('the analytics page', () => {
  const browserEnv = useBrowserEnvironment();
  const pages: Page[] = [];
  let page: Page;

  const plot = (question: string, on = page) => on.getByRole('region', { name: question });
  const shot = (name: string) => saveScreenshot(page, name, true);
  const submit = async (overrides: object = {}) =>
    (await browserEnv().project.pipeline.submit(aSubmission({ metadata: { model: 'm-1' }, ...overrides }))).id;
  const TYPED = { answer_schema: { type: 'string' } };

  beforeAll(async () => {
    const { owner, project, enter } = browserEnv();
    for (let n = 0; n < 2; n += 1) pages.push(await enter(owner, `/analytics?project=${project.id}`));
    page = pages[0] as Page;
  });

  it('says which figures are not known yet, and draws no plot for them', async () => {
    await plot('Are decisions getting slower?').getByText('No decisions').waitFor();
    await plot('Are webhooks delivered?').getByText('No webhook deliveries').waitFor();
    await plot('Who did the work?').getByText('Nobody claimed or decided an item').waitFor();
    await shot('analytics-empty');
  });

  it('I9: shows on two open pages what the event log says, without a reload', async () => {
    const { owner, project } = browserEnv();
    const ids = await Promise.all(Array.from({ length: 5 }, () => submit()));
    await Promise.all([...Array.from({ length: 3 }, () => submit(TYPED)), submit({ ...TYPED, suggestion: 7 })]);
    const actions = ['approve', 'edit', 'reject', 'escalate', 'approve'] as const;
    for (const [index, action] of actions.entries())
      await review(owner, ids[index] as string, action, { process: index });
    for (const on of pages) {
      await plot('How long is the queue?', on).getByText('5 waiting now (1 escalated).').waitFor();
      await plot('Are we keeping up?', on)
        .getByText('9 sent to review (of 9 received) · 4 decided by reviewers')
        .waitFor();
      await plot('Do suggestions fit their schema?', on)
        .getByText("1 of 4 checked suggestions don't fit (25%).")
        .waitFor();
      await plot('Who did the work?', on).getByText('decisions n 4').waitFor();
      await plot('Are webhooks delivered?', on).getByText('All 4 deliveries arrived.').waitFor();
    }
    const report = await owner.call(readAnalytics, { params: { id: project.id } });
    expect(report).toMatchObject({
      waiting: { queued: 4, escalated: 1 },
      arrived: 9,
      decided: 4,
      by_action: { approve: 2, edit: 1, reject: 1, finalize: 0 },
      webhook: { succeeded: 4, dead: 0 },
    });
    expect(report.counted.seq).toBe(report.counted.head);
  });

  it('AN32: shows how many items their deadline ended, by flag and model, once there is one', async () => {
    const { testEnv } = browserEnv();
    for (const on of pages) expect(await plot('How many items miss their deadline?', on).count()).toBe(0);
    const id = await submit({ deadline_seconds: 3600, risk_flags: ['pii'] });
    await testEnv.sql('update item set deadline = deadline_clock() where id = $1', [id]);
    for (const on of pages) {
      const shown = plot('How many items miss their deadline?', on);
      await shown
        .getByText(/^1 of 5 items were not decided before their deadline: 20% \(95% interval: 4% to 62%\)\.$/)
        .waitFor();
      await shown.getByRole('list', { name: 'By flag' }).getByText('pii').waitFor();
      await shown.getByRole('list', { name: 'By model' }).getByText('1 of 5').waitFor();
    }
  });

  it('gives each plot its n, a table and a file, and lets a person read it by keyboard', async () => {
    for (const question of PLOTS) {
      const of = plot(question);
      await of.getByRole('button', { name: /^Download as CSV/ }).waitFor();
      await of.getByRole('button', { name: /table/ }).click();
      await of.getByRole('table').waitFor();
      await of.getByRole('button', { name: /plot again/ }).click();
    }
    const slider = plot('Are decisions getting slower?').getByRole('slider');
    await slider.focus();
    await page.keyboard.press('End');
    await expect.poll(() => slider.getAttribute('aria-valuetext')).toMatch(/50% within .*n 4$/);
    await page.keyboard.press('Home');
    await expect.poll(() => slider.getAttribute('aria-valuetext')).toMatch(/no decisions$/);
    await page.keyboard.press('Escape');
  });

  it('AN6: uses the time zone of the project settings for days and hours', async () => {
    const { project } = browserEnv();
    const [, rules] = pages as [Page, Page];
    await rules.goto(`${new URL(rules.url()).origin}/projects/${project.id}/rules`);
    await rules.getByLabel('Time zone').fill('Lisbon');
    await rules.getByText('such as Europe/Berlin').waitFor();
    await rules.getByLabel('Time zone').fill('Asia/Kathmandu');
    await rules.getByRole('button', { name: /^Save as/ }).click();
    await rules.getByRole('button', { name: /^Save as/ }).waitFor({ state: 'detached' });
    await page.reload();
    await page.getByText('Kathmandu time · window').waitFor();
    const { flow } = await browserEnv().owner.call(readAnalytics, { params: { id: project.id } });
    expect(new Set(flow.map(({ at }) => at.slice(14, 16)))).toEqual(new Set(['15']));
  });

  it('is accessible and fits, in both themes, wide and on a phone, for every range', async () => {
    for (const range of ['hour', 'day', 'week', 'month']) {
      await page.goto(`${new URL(page.url()).origin}/analytics?project=${browserEnv().project.id}&range=${range}`);
      await plot('Are decisions getting slower?').getByRole('slider').waitFor();
      await shot(`analytics-${range}`);
    }
    await page.goto(`${new URL(page.url()).origin}/analytics?project=${browserEnv().project.id}`);
    await plot('Are decisions getting slower?').getByRole('slider').waitFor();
    await checkAppearances(page, 'analytics', ONCE_EACH);
  }, 120_000);
});
