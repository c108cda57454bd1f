// The delivery log in a real browser: a row opens in place, shows what was sent and answered, and is sent again.
import { describe, expect, it } from 'vitest';
import { aSubmission, review } from '../server/test/builders.ts';
import { findChromium } from '../scripts/browser.ts';
import { useHouse } from './house.ts';
import { signIn } from './injected-wallet.ts';

const chromium = await findChromium();

describe.skipIf(chromium === undefined)('the delivery log', () => {
  const house = useHouse();

  it('I5: opens a delivery with its bytes and sends it again under the same id', async () => {
    const { owner, project, receiver, visit } = house();
    const { id } = await project.pipeline.submit(aSubmission());
    await review(owner, id);
    const first = await receiver.next(id);

    const page = await visit(owner.wallet, `/projects/${project.id}/deliveries`);
    await signIn(page);
    await page.getByRole('button', { name: `Show ${first.webhookId}` }).click();
    const bytes = page.getByRole('region', { name: 'Body', exact: true });
    await expect.poll(() => bytes.textContent()).toBe(first.body);
    await page.getByText('attempt 1 ·').waitFor();

    await page.getByRole('button', { name: 'Send again', exact: true }).click();
    await page.getByText('attempt 2 ·').waitFor();
    const again = await receiver.next(first.webhookId);
    expect([again.body, again.attempt]).toEqual([first.body, 2]);
    expect(await bytes.count()).toBe(1);
    await page.getByText('Sent again: delivered.').waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Attempts');
  });

  it('filters by state, in its address', async () => {
    const { owner, project, visit } = house();
    const page = await visit(owner.wallet, `/projects/${project.id}/deliveries?status=dead`);
    await signIn(page);
    await page.getByText('None of these').waitFor();
    await page.getByText('Delivered', { exact: true }).click();
    await page.waitForURL('**/deliveries?status=succeeded');
    await page.getByRole('row').filter({ hasText: 'delivered' }).first().waitFor();
    await page.goBack();
    await page.getByText('None of these').waitFor();
  });

  it('I5: sends many again in the background, and says how many', async () => {
    const { owner, project, receiver, visit } = house();
    const { id } = await project.pipeline.submit(aSubmission());
    await review(owner, id);
    const { webhookId, attempt } = await receiver.next(id);
    const page = await visit(owner.wallet, `/projects/${project.id}/deliveries`);
    await signIn(page);
    await page.getByRole('button', { name: 'Send many again' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Delivered', { exact: true }).click();
    await dialog.getByRole('button', { name: 'Send again' }).click();
    await page.getByText(/on (its|their) way again\.$/).waitFor();
    await dialog.waitFor({ state: 'detached' });
    expect(await receiver.next(webhookId)).toMatchObject({ attempt: attempt + 1 });
  });
});
