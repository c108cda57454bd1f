// Tests the thresholds section in a browser: every control, applying as owner, and unknown figures.
import { listChanges } from '@countersign/shared/routes/changes';
import { changeProject, readProject } from '@countersign/shared/routes/projects';
import type { ProjectSettings } from '@countersign/shared/settings';
import type { Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { aSubmission, join, openProject, review } from '../../server/test/builders.ts';
import { person } from '../../server/test/client.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';
import { saveScreenshot, checkAppearances, ONCE_EACH } from '../support/page-checks.ts';

const chromium = await findChromium();
/** Submits items of each confidence; every third of the lower ones is wrong, and some of the sure ones have flags. */
const EACH = 12;
const SPACING_MS = 10_000;
const CONFIDENCES = [0.4, 0.55, 0.72, 0.76, 0.8, 0.84, 0.88, 0.92, 0.96, 0.99];

describe.skipIf(chromium === undefined)('thresholds', () => {
  const browserEnv = useBrowserEnvironment();
  let page: Page;

  beforeAll(async () => {
    const { owner, project, enter } = browserEnv();
    const params = { id: project.id };
    await owner.call(changeProject, { params, body: { settings_version: 1, audit_rate: 0.4 } });
    for (const confidence of CONFIDENCES)
      for (let n = 0; n < EACH; n += 1) {
        const risk_flags = n % 6 === 0 ? ['long'] : [];
        const { id } = await project.pipeline.submit(aSubmission({ confidence, risk_flags }));
        const looked = await review(owner, id, n % 3 === 0 && confidence < 0.9 ? 'reject' : 'approve').catch(
          () => null,
        );
        if (confidence >= 0.7 && confidence < 0.95) expect(looked).not.toBeNull();
      }
    page = await enter(owner, `/analytics?project=${project.id}`);
    await section().waitFor();
  }, 120_000);

  const section = (of = page) => of.getByRole('region', { name: 'Thresholds', exact: true });
  const sentence = (of = page) => section(of).getByText(/^At /);
  const auto = (of = page) => section(of).getByRole('textbox', { name: 'Auto-approve from' });
  const plot = () => section().getByRole('slider', { name: /^Auto-approve from; arrow keys/ });
  const apply = (on = page) => section(on).getByRole('button', { name: 'Apply to project…' });

  it('AN24, AN25: says what other thresholds would do, and for how many items the outcome is not known', async () => {
    await expect
      .poll(() => sentence().textContent())
      .toMatch(/At\s+0\.95,\s+60%\s+of the items from the last 30 days\s+\(72\)/);
    await auto().fill('0.75');
    await expect
      .poll(() => sentence().textContent())
      .toMatch(/At\s+0\.75,\s+10%[^]*\d+–\d+\s+wrong approvals expected \(95% interval\)/);
    await section().getByRole('textbox', { name: 'Review from' }).fill('0.3');
    await auto().fill('0.3');
    await section().getByText('24 more would be auto-approved with an unknown error rate').waitFor();
    await section().getByRole('button', { name: 'Reset' }).click();
    await expect.poll(() => auto().inputValue()).toBe('0.95');
  });

  it('moves the threshold by key, handle and drag alike, and says when the input is no threshold', async () => {
    await plot().focus();
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => auto().inputValue()).toBe('0.94');
    await section().getByRole('slider', { name: 'Auto-approve from', exact: true }).focus();
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => auto().inputValue()).toBe('0.93');
    const box = (await plot().boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    const at = (share: number) => box.x + 44 + share * (box.width - 64);
    await page.mouse.move(at(0.93), box.y + 200);
    await page.mouse.down();
    await page.mouse.move(at(0.85), box.y + 200, { steps: 4 });
    await page.mouse.up();
    await expect.poll(() => auto().inputValue()).toBe('0.85');
    await auto().fill('1.5');
    await section().getByText('Between 0 and 1').waitFor();
    expect(await apply().isDisabled()).toBe(true);
    await auto().fill('0.85');
  });

  it('shows the same as a table, reads each bin by key, and offers bins of equal count', async () => {
    const bins = section().getByRole('slider', { name: /^Share approved unchanged/ });
    await bins.focus();
    await page.keyboard.press('End');
    await expect.poll(() => bins.getAttribute('aria-valuetext')).toMatch(/0\.95 – 1\.00 · audited · 100% approved/);
    await section().getByText('Equal count').click();
    await section().getByRole('button', { name: 'Show as a table: Is confidence accurate?' }).click();
    await section()
      .getByRole('row', { name: /0\.72.* reviewed/ })
      .waitFor();
    await section().getByRole('button', { name: 'Show the plot again: Is confidence accurate?' }).click();
  });

  it('is accessible in both themes, wide and on a phone', async () => {
    await section().scrollIntoViewIfNeeded();
    await checkAppearances(page, 'what-if', ONCE_EACH);
  });

  it('is linked from the settings and lazily loaded when scrolled into view', async () => {
    const { owner, project, enter } = browserEnv();
    const rules = await enter(owner, `/projects/${project.id}/rules`);
    const link = rules.getByRole('link', { name: 'Try other thresholds' });
    await link.waitFor();
    await saveScreenshot(rules, 'rules-link');
    await link.click();
    const heading = section(rules).getByRole('heading', { name: 'Thresholds', exact: true });
    await heading.waitFor();
    const top = async () => (await heading.boundingBox())?.y ?? Infinity;
    await expect.poll(top).toBeLessThan(400);
    await saveScreenshot(rules, 'line-in-view');
    await rules.context().close();
  });

  it('applies as a reviewed change: the difference first, then a settings version of its own in the change log', async () => {
    const { owner, project } = browserEnv();
    await section().getByRole('button', { name: /^long/ }).click();
    await apply().click();
    const dialog = page.getByRole('dialog');
    await expect
      .poll(() => dialog.getByRole('listitem').allTextContents())
      .toEqual([
        expect.stringMatching(/auto-approve from\s*0\.95\s*0\.85/),
        expect.stringMatching(/always escalated\s*long/),
      ]);
    await saveScreenshot(page, 'what-if-apply');
    await dialog.getByRole('button', { name: 'Save as v3' }).click();
    await section().getByText('Applied as settings version 3.').waitFor();
    const saved = await owner.call(readProject, { params: { id: project.id } });
    expect(saved).toMatchObject({ auto_threshold: 0.85, settings_version: 3 });
    const { data } = await owner.call(listChanges, { params: { id: project.id } });
    expect(JSON.stringify(data[0])).toContain('auto_threshold');
  });

  it('lets a supervisor try a threshold and says who can apply it', async () => {
    const { project, enter, testEnv } = browserEnv();
    const sam = await person(testEnv);
    await join(project, sam, 'supervisor');
    const other = await enter(sam, `/analytics?project=${project.id}`);
    await section(other).getByText('Only owners can apply this').waitFor();
    await auto(other).fill('0.8');
    await expect.poll(() => sentence(other).textContent()).toMatch(/At\s+0\.80/);
  });

  it('says what fills the page when nothing has arrived', async () => {
    const { owner, enter } = browserEnv();
    const empty = await openProject(owner);
    const other = await enter(owner, `/analytics?project=${empty.id}`);
    await section(other).getByText('No items received in the last 30 days').waitFor();
    await section(other).getByText('No decisions in the last 30 days').waitFor();
    await saveScreenshot(other, 'what-if-empty', true);
  });

  it('follows the project’s threshold when it changes, and keeps what was edited here', async () => {
    const { owner, project, enter } = browserEnv();
    const open = await enter(owner, `/analytics?project=${project.id}`);
    await section(open).getByRole('textbox', { name: 'Review from' }).fill('0.41');
    const params = { id: project.id };
    await open.clock.install();
    const change = async (changes: Partial<ProjectSettings>) => {
      // The page refreshes at most once per interval: the test advances its clock past that.
      await open.clock.fastForward(SPACING_MS);
      const { settings_version } = await owner.call(readProject, { params });
      await owner.call(changeProject, { params, body: { settings_version, ...changes } });
    };
    await change({ auto_threshold: 0.97 });
    await expect.poll(() => auto(open).inputValue()).toBe('0.97');
    expect(await section(open).getByRole('textbox', { name: 'Review from' }).inputValue()).toBe('0.41');
    // A flag that another owner changes to the tried value stays as tried.
    const long = section(open).getByRole('button', { name: /^long/ });
    const wanted = (await long.getAttribute('aria-pressed')) !== 'true';
    await long.click();
    await change({ auto_threshold: 0.96, escalate_flags: wanted ? ['long'] : [] });
    await expect.poll(() => auto(open).inputValue()).toBe('0.96');
    expect(await long.getAttribute('aria-pressed')).toBe(String(wanted));
    // An owner confirms what they read: the dialog keeps its values, and is refused when the settings changed meanwhile.
    browserEnv().allowConsoleError(/409 \(Conflict\).*\/projects\//);
    await apply(open).click();
    const dialog = open.getByRole('dialog');
    await dialog.getByRole('listitem').first().waitFor();
    const asked = await dialog.getByRole('listitem').allTextContents();
    await change({ auto_threshold: 0.98 });
    await expect.poll(() => auto(open).inputValue()).toBe('0.98');
    expect(await dialog.getByRole('listitem').allTextContents()).toEqual(asked);
    await dialog.getByRole('button', { name: /^Save as v/ }).click();
    await dialog.getByText('Someone else changed the settings.').waitFor();
  });
});
