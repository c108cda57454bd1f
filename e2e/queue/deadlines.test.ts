// Tests deadlines in Chromium (DL): the countdown, the warning, the dialog, and what the holder sees at the end.
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { extendDeadline, readQueueItem } from '@countersign/shared/routes/queue';
import type { Submission } from '@countersign/shared/schemas/public';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { aSubmission, join, openProject } from '../../server/test/builders.ts';
import { makeWallet, person } from '../../server/test/client.ts';
import { checkAppearances, expectAccessible, saveScreenshot } from '../support/page-checks.ts';
import { pane, waitUntilActionable } from '../support/open-item.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';
import { watchForText } from '../support/transient-text.ts';

const chromium = await findChromium();

const HOUR = 3600;
const LATER = 'Deadline extended to';

/** Claims the open item. */
async function claim(page: Page, text: string): Promise<void> {
  await pane(page)
    .getByRole('button', { name: /^Claim\b/ })
    .first()
    .click();
  await page.getByText('Yours for').waitFor();
  await waitUntilActionable(page, text);
}

describe.skipIf(chromium === undefined)('DL: an item with a deadline', () => {
  const browserEnv = useBrowserEnvironment();

  /** A project of its own with a supervisor and a reviewer. `arrive` submits, `pass` lets a deadline pass. */
  async function openQueue() {
    const { owner, testEnv, ...rest } = browserEnv();
    const project = await openProject(owner);
    const anna = await person(testEnv, makeWallet());
    await join(project, anna);
    const arrive = async (about: string, fields: Partial<Submission> = {}) => {
      const words = { input: { question: `Ask about ${about}` }, suggestion: `About ${about}` };
      const all: Partial<Submission> = {
        ...words,
        allowed_actions: ['approve', 'edit', 'reject', 'respond'],
        ...fields,
      };
      return (await project.pipeline.submit(aSubmission({ deadline_seconds: HOUR, ...all }))).id;
    };
    const endIn = (id: string, seconds: number) =>
      testEnv.sql(
        `update item set deadline = deadline_clock() + make_interval(secs => $2),
          due_at = least(due_at, deadline_clock() + make_interval(secs => $2)) where id = $1`,
        [id, seconds],
      );
    return { ...rest, owner, project, anna, arrive, endIn, pass: (id: string) => endIn(id, -1) };
  }

  it(
    'DL5: counts down and warns in its row and where it is open, and is extended once',
    { timeout: 180_000 },
    async () => {
      const { owner, project, arrive, endIn, enter, allowConsoleError } = await openQueue();
      allowConsoleError(/409/);
      const calm = await arrive('the calm parcel', { on_deadline: 'reject' });
      const soon = await arrive('the urgent parcel', { on_deadline: 'escalate' });
      // A fifth of an hour is 12 minutes.
      await endIn(soon, 700);
      const page = await enter(owner, `/queue?project=${project.id}&item=${soon}`);
      const row = (id: string) => page.locator(`[data-line="${id}"]`);
      await row(calm)
        .getByText(/^rejected in (1 h|\d\d min)$/)
        .waitFor();
      await row(soon)
        .getByText(/^to supervisors in \d+:\d\d$/)
        .waitFor();
      await pane(page)
        .getByText(/Will go to supervisors in \d+:\d\d/)
        .waitFor();
      await claim(page, 'About the urgent parcel');
      await checkAppearances(page, 'deadline-warning');

      const open = page.getByRole('button', { name: 'Extend deadline' });
      await open.click();
      const dialog = page.getByRole('dialog', { name: 'Extend the deadline?' });
      await dialog.getByText(/^New deadline: /).waitFor();
      await checkAppearances(page, 'deadline-dialog');
      // Another size draws the item again, without its dialog.
      await open.click();
      const said = await watchForText(page, LATER);
      await dialog.getByRole('button', { name: 'Extend', exact: true }).click();
      await said();
      await row(soon)
        .getByText(/^to supervisors in 1 h( \d+ min)?$/)
        .waitFor();
      await page.getByText('Yours for').waitFor();
      expect(await open.count()).toBe(0);
      await page.getByText(/extended the deadline to/).waitFor({ state: 'attached' });

      // Somebody else is faster while the dialog is open.
      await row(calm).click();
      await open.click();
      await dialog.getByText(/^New deadline: /).waitFor();
      await owner.call(extendDeadline, { params: { id: calm }, body: { seconds: HOUR } });
      await dialog.getByRole('button', { name: 'Extend', exact: true }).click();
      await dialog.getByText('A deadline can be extended once. Decide the item before it passes.').waitFor();
      await saveScreenshot(page, 'deadline-refused');
      await expectAccessible(page);
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await open.waitFor({ state: 'detached' });
      const { deadline } = await owner.call(readQueueItem, { params: { id: soon } });
      expect(deadline).toMatchObject({ extended: true, on_deadline: 'escalate' });
    },
  );

  it('DL1: expires while it is held: the next one follows, or what was typed stays', { timeout: 180_000 }, async () => {
    const { anna, project, arrive, pass, enter } = await openQueue();
    const first = await arrive('the first parcel');
    const second = await arrive('the second parcel');
    const third = await arrive('the third parcel', { on_deadline: 'reject' });
    const page = await enter(anna, `/queue?project=${project.id}&item=${first}`);
    await claim(page, 'About the first parcel');
    await pane(page)
      .getByText(/Will expire in (\d\d:\d\d|1 h|\d\d min)/)
      .waitFor();
    // What happens then is beside the item, and for screen readers with the countdown.
    const then = pane(page).getByText('Nobody can decide it after that. The pipeline is notified that it expired.');
    await then.last().waitFor();
    expect(await then.count()).toBe(2);
    expect(await page.getByRole('button', { name: 'Extend deadline' }).count()).toBe(0);
    await checkAppearances(page, 'deadline-held');
    const said = await watchForText(page, 'The deadline of this item passed');
    await pass(first);
    await waitUntilActionable(page, 'About the second parcel');
    await page.getByText('Yours for').waitFor();
    await said();

    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByRole('textbox', { name: 'Your answer' }).fill('My own words');
    await pass(second);
    await page.getByText('The deadline of this item passed without a decision').waitFor();
    await page.getByText('Your draft is saved, but was not sent. You can copy it below.').waitFor();
    await page.getByRole('heading', { name: 'Your draft' }).waitFor();
    await pane(page).getByText('own', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Copy', exact: true }).waitFor();
    await pane(page).getByText('No decision is needed.').waitFor();
    await page.getByText('The deadline passed without a decision').waitFor({ state: 'attached' });
    await checkAppearances(page, 'deadline-expired-draft');

    await page
      .getByRole('button', { name: /^Next item\b/ })
      .first()
      .click();
    await waitUntilActionable(page, 'About the third parcel');
    await page.getByRole('button', { name: 'Respond', exact: true }).click();
    await page.getByRole('textbox', { name: 'Answer in words' }).fill('An answer in words');
    await pass(third);
    await page.getByText('The deadline passed without a decision, so this item was rejected').waitFor();
    await page.getByText('An answer in words').first().waitFor();
    await page.getByRole('button', { name: 'Copy', exact: true }).waitFor();
    await checkAppearances(page, 'deadline-rejected');
    expect(page.url()).toContain(third);
    for (const [id, status] of [
      [first, 'expired'],
      [second, 'expired'],
      [third, 'rejected'],
    ] as const)
      expect(await project.pipeline.read(id)).toMatchObject({ status, decision: null });

    // What is expired is found by its words, with its status.
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search or run' }).fill('the second parcel');
    await page.getByRole('option', { name: /second parcel.*expired/ }).waitFor();
  });

  it('DL3: a decision that comes too late is refused in words, and its draft stays', { timeout: 120_000 }, async () => {
    const { anna, project, arrive, pass, enter, allowConsoleError } = await openQueue();
    allowConsoleError(/409/);
    const id = await arrive('the late parcel');
    await arrive('another parcel', { deadline_seconds: undefined });
    const page = await enter(anna, `/queue?project=${project.id}&item=${id}`);
    await claim(page, 'About the late parcel');
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByRole('textbox', { name: 'Your answer' }).fill('Too late');
    await page.route('**/decision', async (route) => {
      await pass(id);
      await route.continue();
    });
    await page.getByRole('button', { name: 'Submit edit' }).click();
    await page
      .getByRole('button', { name: /Wrong fact|Other/ })
      .first()
      .click();
    await page.getByText('The deadline of this item has passed').waitFor();
    await page.getByText('The deadline of this item passed without a decision').waitFor();
    await page.getByRole('heading', { name: 'Your draft' }).waitFor();
    await checkAppearances(page, 'deadline-late');
    expect(await project.pipeline.read(id)).toMatchObject({ status: 'expired', decision: null });
  });

  it('DL1: goes to supervisors while it is held: the holder hears and reads it', { timeout: 180_000 }, async () => {
    const { anna, owner, project, arrive, pass, enter } = await openQueue();
    const id = await arrive('the disputed parcel', { on_deadline: 'escalate' });
    const other = await arrive('the silent parcel', { on_deadline: 'escalate' });
    const page = await enter(anna, `/queue?project=${project.id}&item=${id}`);
    await claim(page, 'About the disputed parcel');
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByRole('textbox', { name: 'Your answer' }).fill('Half a thought');
    const heard = 'Deadline passed: supervisors have it now';
    const said = await watchForText(page, `${heard}. Your draft is saved`);
    await pass(id);
    await said();
    await page.getByText('The deadline passed, so supervisors have this item now. Your draft is saved.').waitFor();
    await page.getByRole('button', { name: 'Copy', exact: true }).waitFor();
    await page.locator(`[data-line="${id}"]`).getByText('Deadline passed, now with supervisors').waitFor();
    await checkAppearances(page, 'deadline-escalated-reviewer');

    // A supervisor who held it before it was escalated decides it after a new claim.
    const boss = await enter(owner, `/queue?project=${project.id}&item=${other}`);
    await claim(boss, 'About the silent parcel');
    const bossSaid = await watchForText(boss, heard);
    await pass(other);
    await bossSaid();
    await boss.getByText('The deadline passed, so this item is escalated and your claim ended.').waitFor();
    await checkAppearances(boss, 'deadline-escalated-supervisor');
    await boss.getByRole('button', { name: /^Reclaim\b/ }).click();
    await boss.getByText('Yours for').waitFor();
    await pane(boss)
      .getByText(/Will expire in (\d\d:\d\d|1 h|\d\d min)/)
      .waitFor();
    expect((await owner.call(readQueueItem, { params: { id } })).deadline).toMatchObject({ on_deadline: 'expire' });
  });
});
