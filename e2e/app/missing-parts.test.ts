// Tests that a page whose parts cannot be loaded, as after a deployment, offers to load itself again (QU20).
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { endOtherSessions } from '@countersign/shared/routes/session';
import { join } from '../../server/test/builders.ts';
import { makeWallet, person } from '../../server/test/client.ts';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { holdLoad } from '../support/hold-load.ts';
import { injectWallet } from '../support/injected-wallet.ts';
import { expectAccessible } from '../support/page-checks.ts';
import { sessionCookies, useBrowserEnvironment } from '../support/test-environment.ts';

const chromium = await findChromium();
const PARTS = '**/_app/immutable/**';
const offer = (page: Page) => page.getByRole('status').getByRole('button', { name: 'Reload' });
const sheet = (page: Page) => page.getByRole('dialog', { name: 'Keyboard shortcuts' });

/** Whether the overlay with the wallets has loaded: it alone reads this text. The requests of one import begin together. */
const isOverlayLoaded = (page: Page): Promise<boolean> =>
  page.evaluate(async () => {
    const files = performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js'));
    const texts = await Promise.all(files.map(async ({ name }) => (await fetch(name)).text()));
    return texts.some((text) => text.includes('.endedText'));
  });

/** Takes the offer: the part that was missing is there afterwards. */
async function reloadAndOpenSheet(page: Page): Promise<void> {
  await offer(page).click();
  await offer(page).waitFor({ state: 'detached' });
  await page.getByText('Live', { exact: true }).waitFor();
  await page.keyboard.press('?');
  await sheet(page).waitFor();
}

describe.skipIf(chromium === undefined)('a page whose parts cannot be loaded', () => {
  const browserEnv = useBrowserEnvironment();

  /** A queue that has loaded nothing but its first load, in a tab whose console is not checked. `end` ends its session. */
  async function openQueue() {
    const { testEnv, project, frontProxy, openPage } = browserEnv();
    const wallet = makeWallet();
    const reviewer = await person(testEnv, wallet);
    await join(project, reviewer);
    const elsewhere = await person(testEnv, wallet);
    const page = await openPage();
    await injectWallet(page, wallet);
    await page.context().addCookies(sessionCookies(reviewer, frontProxy.url));
    await holdLoad(page);
    await page.goto(`${frontProxy.url}/queue`, { waitUntil: 'commit' });
    await page.getByText('Live', { exact: true }).waitFor();
    return { page, end: () => elsewhere.call(endOtherSessions) };
  }

  /** From now on the service has other files, as a later version would. */
  const deploy = (page: Page) => page.route(PARTS, (route) => route.fulfill({ status: 404 }));

  it('QU20: offers a reload when a part is gone after a deployment, and the reload brings it', async () => {
    const { page } = await openQueue();
    await deploy(page);
    await page.keyboard.press('?');
    await offer(page).waitFor();
    await expectAccessible(page);
    expect(await sheet(page).count()).toBe(0);
    await page.unrouteAll();
    await reloadAndOpenSheet(page);
  });

  it('QU20: offers a reload once the network is back, because the browser caches the failed import', async () => {
    const { page } = await openQueue();
    const failed = page.waitForEvent('requestfailed', (request) => request.url().includes('/_app/immutable/'));
    await page.context().setOffline(true);
    await page.keyboard.press('?');
    await failed;
    expect(await offer(page).count()).toBe(0);
    await page.context().setOffline(false);
    await reloadAndOpenSheet(page);
  });

  it('QU3: signs in again on the page, whose session ends after a deployment', async () => {
    const { page, end } = await openQueue();
    await page.mouse.move(5, 5);
    await expect.poll(() => isOverlayLoaded(page)).toBe(true);
    await deploy(page);
    await end();
    const dialog = page.getByRole('dialog', { name: 'You have been signed out' });
    await dialog.getByRole('button', { name: 'Test Wallet' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByText('Live', { exact: true }).waitFor();
  });

  it('QU20: leads to the sign-in by a reload where the wallets cannot be loaded', async () => {
    const { page, end } = await openQueue();
    await deploy(page);
    await page.keyboard.press('?');
    await offer(page).waitFor();
    await end();
    const dialog = page.getByRole('alertdialog', { name: 'You have been signed out' });
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    expect(await dialog.isVisible()).toBe(true);
    await expectAccessible(page);
    await page.unrouteAll();
    await dialog.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    await page.getByText('Live', { exact: true }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/queue');
  });
});
