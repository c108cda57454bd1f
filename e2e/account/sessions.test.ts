// Tests the session list in real browsers: list and end sessions, and react when the wallet switches its account.
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { makeWallet, type Wallet } from '../../server/test/client.ts';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';
import { injectWallet, signIn, switchAccount } from '../support/injected-wallet.ts';
import { expectAccessible } from '../support/page-checks.ts';

const chromium = await findChromium();
const short = ({ address }: Wallet) => `${address.slice(0, 4)}…${address.slice(-4)}`;
const rows = (page: Page) => page.getByRole('row').filter({ hasText: 'Chrome on Linux' });
const ended = (page: Page) => page.getByRole('dialog', { name: 'You have been signed out' });

describe.skipIf(chromium === undefined)('the session list', () => {
  const browserEnv = useBrowserEnvironment();

  /** Opens the sign-in page in a tab whose console is not checked: when a session ends, it may log a 401. */
  async function openTab(tab: Page, wallet: Wallet): Promise<Page> {
    await injectWallet(tab, wallet);
    await tab.goto(browserEnv().testEnv.baseUrl);
    await tab.getByText('Sign in to review').waitFor();
    return tab;
  }

  /** Signs one person in with this many browsers. */
  async function browsers(wallet: Wallet, count: number): Promise<Page[]> {
    const pages: Page[] = [];
    for (let n = 0; n < count; n += 1) {
      const page = await openTab(await browserEnv().openPage(), wallet);
      await signIn(page);
      await page.getByRole('button', { name: /^Account/ }).waitFor();
      pages.push(page);
    }
    return pages;
  }

  it('A4: ends one session from another browser, which shows it at once, and all others after a confirmation', async () => {
    const [here, second, third] = (await browsers(makeWallet(), 3)) as [Page, Page, Page];
    await here.getByRole('button', { name: /^Account/ }).click();
    await here.getByRole('link', { name: 'Sessions' }).click();
    await here.waitForURL('**/sessions');
    await rows(here).nth(2).waitFor();
    expect(await here.locator('#account').isVisible()).toBe(false);
    expect(await rows(here).filter({ hasText: 'this browser' }).getByRole('button').count()).toBe(0);

    await rows(here)
      .filter({ hasNotText: 'this browser' })
      .first()
      .getByRole('button', { name: /^Sign out Chrome on Linux/ })
      .click();
    // Either of the two may have been seen last, and come first.
    const last = await Promise.any(
      [second, third].map((one) =>
        ended(one)
          .waitFor()
          .then(() => one),
      ),
    );
    const left = last === second ? third : second;
    await expect.poll(() => rows(here).count()).toBe(2);
    await expect.poll(() => here.evaluate(() => document.activeElement?.id)).toBe('page');

    await here.getByRole('button', { name: 'Sign out everywhere else' }).click();
    const question = here.getByRole('dialog', { name: 'Sign out everywhere else?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'hidden' });
    expect(await ended(left).count()).toBe(0);
    await here.getByRole('button', { name: 'Sign out everywhere else' }).click();
    await question.getByRole('button', { name: 'Sign out everywhere else' }).click();
    await ended(left).waitFor();
    await question.waitFor({ state: 'hidden' });
    await expect.poll(() => rows(here).count()).toBe(1);
    expect(await here.getByRole('button', { name: 'Sign out everywhere else' }).count()).toBe(0);
    await expect.poll(() => here.evaluate(() => document.activeElement?.id)).toBe('page');
    expect(await ended(here).count()).toBe(0);
  });

  it('names the account of the session when the wallet switches to another account, and offers to switch', async () => {
    const [wallet, other] = [makeWallet(), makeWallet()];
    const [page] = (await browsers(wallet, 1)) as [Page];
    const banner = page.getByText(`Still signed in as ${short(wallet)}.`);
    await switchAccount(page, other.address);
    await banner.waitFor();
    await page.getByText(`Your wallet switched to ${short(other)}.`).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Stay signed in' }).click();
    await banner.waitFor({ state: 'hidden' });

    await switchAccount(page, wallet.address);
    await switchAccount(page, other.address);
    await page.getByRole('button', { name: 'Switch' }).click();
    await page.getByRole('heading', { name: 'Sign in with your wallet' }).waitFor();
    expect(new URL(page.url()).searchParams.get('next')).toBe('/projects');
    expect(await ended(page).count()).toBe(0);
  });

  it('A4: leaves no tab with the first person’s page after another person signs in in another tab', async () => {
    const other = makeWallet();
    const tab = await openTab(await browserEnv().openPage(), other);
    // One browser holds one sign-in message, the latest one. The other tab finds out at its first attempt.
    const page = await openTab(await tab.context().newPage(), makeWallet());
    await signIn(page);
    await page.getByText('Live', { exact: true }).waitFor();
    await tab.getByRole('button', { name: 'Test Wallet' }).click();
    await tab.getByText('The signature did not match').waitFor();
    await signIn(tab);
    const theirs = page.getByRole('button', { name: `Account: ${short(other)}` });
    await theirs.or(ended(page)).first().waitFor();
    // A tab left in the background shows the current session’s person when it is opened again.
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await theirs.waitFor();
    expect(await ended(page).count()).toBe(0);
  });
});
