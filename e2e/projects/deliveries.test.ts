// Tests the delivery log in a real browser: a row expands in place, shows request and response, and can be replayed.
import type { APIResponse } from 'playwright';
import { describe, expect, it } from 'vitest';
import { aSubmission, review } from '../../server/test/builders.ts';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { recordShifts, shiftsOf } from '../support/layout-shifts.ts';
import { PHONE } from '../support/page-checks.ts';
import { responseReceived } from '../support/received.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';

const chromium = await findChromium();

describe.skipIf(chromium === undefined)('the delivery log', () => {
  const browserEnv = useBrowserEnvironment();

  it('I5: expands a delivery with its bytes and sends it again under the same id', async () => {
    const { owner, project, receiver, enter } = browserEnv();
    const { id } = await project.pipeline.submit(aSubmission());
    await review(owner, id);
    const first = await receiver.next(id);

    const page = await enter(owner, `/projects/${project.id}/deliveries`);
    await page.getByRole('button', { name: `Show ${first.webhookId}` }).click();
    const bytes = page.getByRole('region', { name: 'Body', exact: true });
    await expect.poll(() => bytes.textContent()).toBe(first.body);
    await page.getByText('attempt 1 ·').waitFor();

    await page.getByRole('button', { name: 'Resend', exact: true }).click();
    await page.getByText('attempt 2 ·').waitFor();
    const again = await receiver.next(first.webhookId);
    expect([again.body, again.attempt]).toEqual([first.body, 2]);
    expect(await bytes.count()).toBe(1);
    await page.getByText('Resent: delivered.').waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Attempts');
  });

  it('filters by state in the URL', async () => {
    const { owner, project, enter } = browserEnv();
    const page = await enter(owner, `/projects/${project.id}/deliveries?status=dead`);
    await page.getByText('No deliveries match').waitFor();
    await page.getByText('Delivered', { exact: true }).click();
    await page.waitForURL('**/deliveries?status=succeeded');
    await page.getByRole('row').filter({ hasText: 'delivered' }).first().waitFor();
    await page.goBack();
    await page.getByText('No deliveries match').waitFor();
  });

  it('I5: replays many deliveries in the background, and shows the count', async () => {
    const { owner, project, receiver, enter } = browserEnv();
    const { id } = await project.pipeline.submit(aSubmission());
    await review(owner, id);
    const { webhookId, attempt } = await receiver.next(id);
    const page = await enter(owner, `/projects/${project.id}/deliveries`);
    await page.getByRole('button', { name: 'Bulk resend' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Delivered', { exact: true }).click();
    // A date without its time is no value: nothing is sent, and the field says so until it is cleared.
    const since = dialog.getByLabel('Created since');
    await since.pressSequentially('01012026');
    expect(await since.inputValue()).toBe('');
    await dialog.getByRole('button', { name: 'Resend' }).click();
    await dialog.getByText('Enter both a date and a time').waitFor();
    for (let part = 0; part < 3; part += 1) {
      await since.press('Backspace');
      await since.press('ArrowRight');
    }
    await dialog.getByText('Leave empty for all.').waitFor();
    await dialog.getByRole('button', { name: 'Resend' }).click();
    await page.getByText(/^Resending \d+ deliver(y|ies)\.$/).waitFor();
    await dialog.waitFor({ state: 'detached' });
    expect(await receiver.next(webhookId)).toMatchObject({ attempt: attempt + 1 });
  });

  it('searches by answer code, event or item in the URL, and shows invalid input at the field', async () => {
    const { owner, project, receiver, enter } = browserEnv();
    const { id } = await project.pipeline.submit(aSubmission());
    receiver.answer = ({ event }) => ({ status: event.item_id === id ? 404 : 200 });
    await review(owner, id);
    await review(owner, (await project.pipeline.submit(aSubmission())).id);
    const { webhookId } = await receiver.next(id);
    const page = await enter(owner, `/projects/${project.id}/deliveries`);
    const field = page.getByRole('searchbox', { name: 'Find by status code' });
    const rows = page.locator('tbody tr');
    await field.fill('4xx');
    await page.waitForURL('**/deliveries?code=4xx');
    await expect.poll(() => rows.count()).toBe(1);
    // Exactly: the id of the event may contain these digits too.
    await rows.getByText('404', { exact: true }).waitFor();
    await field.fill(`4xx ${webhookId}`);
    await page.waitForURL(`**/deliveries?code=4xx&event=${webhookId}`);
    await field.fill('Candy');
    await page.getByText('“Candy” is not a status code').waitFor();
    expect(new URL(page.url()).searchParams.get('event')).toBe(webhookId);
    await field.fill('599');
    await page.getByText('Nothing matches response 599.').waitFor();
    await page.getByRole('button', { name: 'Clear the filter' }).last().click();
    await page.waitForURL('**/deliveries');
    await expect.poll(() => rows.count()).toBeGreaterThan(1);
    // One step back removes the whole search text, not one letter.
    await page.goBack();
    await page.waitForURL('**/deliveries?code=599');
    await page.goto(new URL(`/projects/${project.id}/deliveries?item=${id}`, page.url()).href);
    await expect.poll(() => rows.count()).toBe(1);
    await expect.poll(() => field.inputValue()).toBe(id);
  });

  it('moves nothing on a phone when the figures come after the rows below them', async () => {
    const { owner, project, enter } = browserEnv();
    const page = await enter(owner, '/account');
    await page.setViewportSize(PHONE);
    await recordShifts(page);
    const figures = Promise.withResolvers<void>();
    let answer: Promise<APIResponse> | undefined;
    await page.route('**/deliveries/summary', async (route) => {
      await figures.promise;
      // The same figures each time: a retry that ends meanwhile would change the line, and so move the rows.
      await route.fulfill({ response: await (answer ??= route.fetch()) });
    });
    await page.goto(new URL(`/projects/${project.id}/deliveries`, page.url()).href);
    await responseReceived(page, `/api/projects/${project.id}/deliveries`);
    expect(await shiftsOf(page)).toEqual([]);
    figures.resolve();
    await page.getByRole('button', { name: 'Retry all now' }).waitFor();
    await page.getByRole('row').filter({ hasText: 'delivered' }).first().waitFor();
    expect(await shiftsOf(page)).toEqual([]);
  });

  it('W6: keeps a row open and focused while others arrive, its attempts continue, and it stops matching the filter', async () => {
    const { owner, project, receiver, enter } = browserEnv();
    const busy = { status: 503, headers: { 'retry-after': '1', server: 'busy' } };
    const second = Promise.withResolvers<{ status: number }>();
    receiver.answer = ({ attempt }) => (attempt === 1 ? busy : second.promise);
    const { id } = await project.pipeline.submit(aSubmission());
    const page = await enter(owner, `/projects/${project.id}/deliveries?status=failed`);
    await page.getByRole('searchbox').waitFor();
    await review(owner, id);
    const first = await receiver.next(id);
    const toggle = page.getByRole('button', { name: `Show ${first.webhookId}` });
    await toggle.click();
    await page.getByLabel('Response headers').getByText('busy').waitFor();
    const request = page.getByLabel('Request headers');
    expect(await request.textContent()).toContain(first.headers['webhook-timestamp']);
    const html = await page.content();
    expect(html).not.toContain(first.headers['x-webhook-signature']);
    expect(html).not.toContain(first.headers['webhook-signature']?.slice(3));
    await toggle.focus();
    const { id: other } = await project.pipeline.submit(aSubmission());
    await review(owner, other);
    await receiver.next(other);
    // The second attempt succeeds: the row no longer matches the filter.
    second.resolve({ status: 200 });
    await page.getByText('attempt 2 ·').waitFor();
    await page.getByRole('row').filter({ has: toggle }).getByText('delivered').waitFor();
    expect(await toggle.getAttribute('aria-expanded')).toBe('true');
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe(
      `Show ${first.webhookId}`,
    );
    receiver.answer = () => ({ status: 200 });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toContain(first.body.slice(0, 40));
    expect(copied).toContain(receiver.url);
  });

  it('WT1: sends a test event from here, and shows the result in place', async () => {
    const { owner, project, receiver, enter } = browserEnv();
    const page = await enter(owner, `/projects/${project.id}/deliveries`);
    await page.getByRole('button', { name: 'Send test event' }).click();
    await page.getByText('Responded with 200 after').waitFor();
    expect((await receiver.nextTest()).webhookId).toMatch(/^evt_test_/);
    await page.getByRole('button', { name: 'Close result' }).click();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent?.trim())).toBe('Send test event');
  });

  it('shows the main columns of a row on a phone without horizontal scrolling', async () => {
    const { owner, project, enter } = browserEnv();
    const page = await enter(owner, `/projects/${project.id}/deliveries`);
    await page.setViewportSize({ width: 390, height: 844 });
    const row = page.locator('tbody tr').first();
    for (const part of [/delivered|retrying/, /\d\d:\d\d/, /^[1-5]\d\d$/, / ms$/, /^\d+\/10$/]) {
      const value = row.getByText(part).filter({ visible: true }).first();
      // The layout follows the new size of the page a moment later.
      const right = async () => {
        const { x, width } = (await value.boundingBox()) ?? { x: Infinity, width: 0 };
        return x + width;
      };
      await expect.poll(right, { message: String(part) }).toBeLessThanOrEqual(390);
    }
    await row.getByRole('button').click();
    await page.getByLabel('Request headers').waitFor();
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  });
});
