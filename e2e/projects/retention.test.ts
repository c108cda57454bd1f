// Tests retention in a browser: confirming a shorter period, and how pages show redacted and deleted data.
import type { Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { changeProject, readProject } from '@countersign/shared/routes/projects';
import { readDelivery, listDeliveries } from '@countersign/shared/routes/deliveries';
import { readQueueItem } from '@countersign/shared/routes/queue';
import { withAnotherWorker } from '../../server/test/another-worker.ts';
import { aSubmission, review } from '../../server/test/builders.ts';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';
import { checkAppearances, ONCE_EACH, PHONE } from '../support/page-checks.ts';

const chromium = await findChromium();

describe.skipIf(chromium === undefined)('retention', () => {
  const browserEnv = useBrowserEnvironment();
  const params = () => ({ id: browserEnv().project.id });
  const project = () => browserEnv().owner.call(readProject, { params: params() });
  const at = (tab: string) => `/projects/${browserEnv().project.id}/${tab}`;
  const saveButton = (page: Page) => page.getByRole('button', { name: /^Save as/ });
  const question = (page: Page) => page.getByRole('dialog', { name: 'Shorten retention?' });

  async function open(path: string): Promise<Page> {
    const page = await browserEnv().enter(browserEnv().owner, path);
    // The browser asks whether to leave; the test confirms.
    page.on('dialog', (dialog) => void dialog.accept());
    return page;
  }

  /** Marks every event of the project as counted and delivered, and backdates it by this many days. */
  async function age(days: number): Promise<void> {
    const { testEnv, project: place } = browserEnv();
    const settled = `
      select event_seq - rollup_seq + (select count(*) from delivery where project_id = $1 and status not in ('succeeded', 'dead'))
        + (select count(*) from decision where project_id = $1 and final_at is null)
        + (select count(*) from event where project_id = $1 and seq is null) = 0 as settled
      from project where id = $1`;
    await expect.poll(() => testEnv.sql(settled, [place.id])).toEqual([{ settled: true }]);
    await testEnv.sql(
      `update event set created_at = least(created_at, now() - make_interval(days => $2)) where project_id = $1`,
      [place.id, days],
    );
  }

  /** Starts a worker, which purges at its start, and waits until it has deleted what is past its retention period. */
  async function pass(days: number, gone: () => Promise<boolean>): Promise<void> {
    await age(days);
    await withAnotherWorker(browserEnv().testEnv, () => expect.poll(gone).toBe(true));
  }

  describe('on the settings page', () => {
    let page: Page;
    const content = () => page.getByLabel('Item content');
    const target = () => page.getByLabel('Decision target');
    beforeAll(async () => {
      page = await open(at('rules'));
    });

    it('KE4: says beside a period longer than that of the items that it has no effect', async () => {
      await page.getByLabel('Items', { exact: true }).fill('60');
      await content().fill('90');
      expect(await page.getByText('Deleted with the item after 60 days.').count()).toBe(2);
      await content().scrollIntoViewIfNeeded();
      await checkAppearances(page, 'keeping', ONCE_EACH);
      await content().fill('6');
      await page.getByText('Must be 7 to 3650.').waitFor();
      expect(await saveButton(page).isDisabled()).toBe(true);
    });

    it('KE1: asks before a shorter period; a person who cancels keeps everything they typed', async () => {
      await content().fill('7');
      await target().fill('45');
      for (const leave of ['Escape', 'Cancel']) {
        await saveButton(page).click();
        await question(page).getByText('cannot be recovered').waitFor();
        if (leave === 'Escape') {
          await checkAppearances(page, 'keeping-question', ONCE_EACH);
          await page.keyboard.press('Escape');
        } else await question(page).getByRole('button', { name: 'Cancel' }).click();
        await question(page).waitFor({ state: 'detached' });
        expect([await content().inputValue(), await target().inputValue()]).toEqual(['7', '45']);
      }
      await page.reload();
      await saveButton(page).waitFor();
      expect(await content().inputValue()).toBe('7');
      expect(await project()).toMatchObject({
        retention_payload_days: null,
        retention_item_days: null,
        target_minutes: 60,
      });
    });

    it('KE1: saves after the confirmation, and the change log describes it', async () => {
      await content().focus();
      await page.keyboard.press('Control+Enter');
      await question(page).getByRole('button', { name: 'Save and delete' }).click();
      await saveButton(page).waitFor({ state: 'detached' });
      await question(page).waitFor({ state: 'detached' });
      expect(await project()).toMatchObject({ retention_payload_days: 7, retention_item_days: 60, target_minutes: 45 });
      // A longer period deletes nothing: it is saved without a confirmation.
      await page.getByLabel('Items', { exact: true }).fill('365');
      await saveButton(page).click();
      await saveButton(page).waitFor({ state: 'detached' });
      expect(await project()).toMatchObject({ retention_item_days: 365 });

      await page.getByRole('link', { name: 'Change log', exact: true }).click();
      await page.waitForURL('**/changes');
      await page.reload();
      const line = page.locator('tbody tr').nth(1);
      await line.getByText('content retention').waitFor();
      expect(await line.locator('del').allTextContents()).toEqual(['60 min', 'forever', 'forever']);
      expect(await line.locator('ins').allTextContents()).toEqual(['45 min', '7 days', '60 days']);
      await page.close();
    });
  });

  describe('after the retention period', () => {
    let id: string;
    let webhookId: string;
    beforeAll(async () => {
      const { owner, project: place, receiver } = browserEnv();
      const { settings_version } = await project();
      const days = { retention_payload_days: 7, retention_attempt_days: 30 };
      await owner.call(changeProject, { params: params(), body: { settings_version, ...days } });
      ({ id } = await place.pipeline.submit(aSubmission({ metadata: { ticket: 'T-1' } })));
      await review(owner, id);
      ({ webhookId } = await receiver.next(id));
    });

    it('KE2: says since when an item is redacted, and shows what remains', async () => {
      const { owner } = browserEnv();
      const item = () => owner.call(readQueueItem, { params: { id } });
      await pass(8, async () => (await item()).emptied_at !== null);
      const page = await open(`/queue?view=all&project=${browserEnv().project.id}&item=${id}`);
      const main = page.getByRole('main');
      await main.getByText(/^Content deleted on /).waitFor();
      await main.getByText('You decided this: approved').waitFor();
      await main.getByText('You approved it').first().waitFor({ state: 'attached' });
      expect(await main.innerText()).not.toMatch(/null|Metadata|No preview text/);
      await checkAppearances(page, 'keeping-item', ONCE_EACH);
      await page.setViewportSize(PHONE);
      await main.getByRole('link', { name: 'Data retention' }).click();
      await page.waitForURL('**/rules#keeping');
      const heading = page.getByRole('heading', { name: 'Data retention' });
      await expect.poll(async () => (await heading.boundingBox())?.y).toBeLessThan(PHONE.height / 2);
    });

    it('KE2, KE3: says that a delivery’s bytes are gone, and later its attempts too', async () => {
      const page = await open(at('deliveries'));
      await page.getByRole('button', { name: `Show ${webhookId}` }).click();
      await page.getByText('The body was deleted').waitFor();
      await page.getByText('The response was deleted').waitFor();
      await page.getByText('attempt 1 ·').waitFor();
      for (const name of [/Copy as curl/, /Copy body/, /^Resend$/])
        expect(await page.getByRole('button', { name }).count()).toBe(0);
      await checkAppearances(page, 'keeping-delivery', ONCE_EACH);

      const { owner } = browserEnv();
      const { data } = await owner.call(listDeliveries, { params: params(), query: { item: id } });
      const delivery = () => owner.call(readDelivery, { params: { id: data[0]?.id ?? '' } });
      await pass(31, async () => (await delivery()).attempts.length === 0);
      await page.reload();
      await page.getByRole('button', { name: `Show ${webhookId}` }).click();
      await page.getByText('The attempt was deleted').waitFor();
      const cells = page.getByRole('row').filter({ has: page.getByRole('button', { expanded: true }) });
      expect(await cells.innerText()).toMatch(/delivered[\s\S]*200\s+—/);
      await checkAppearances(page, 'keeping-attempts', ONCE_EACH);
    });
  });
});
