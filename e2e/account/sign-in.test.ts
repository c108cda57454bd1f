// Tests sign-in with every kind of wallet in a real Chromium, and the messages when it fails.
import type { BrowserContextOptions, Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { makeWallet } from '../../server/test/client.ts';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';
import { addTestWallets, installTestWallets, type TestWallet } from '../support/test-wallets.ts';
import { expectAccessible, expectFits } from '../support/page-checks.ts';

const chromium = await findChromium();
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

const button = (page: Page, name: string) => page.getByRole('button', { name });
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '');

/** The sign-in message that the page shows, line by line. */
const preview = async (page: Page) => {
  const lines = await page.getByRole('heading', { name: 'What you will sign' }).locator('+ div').locator('p').all();
  return (await Promise.all(lines.map((line) => line.innerText()))).map((line) => line.trim()).join('\n');
};

describe.skipIf(chromium === undefined)('signing in', () => {
  const browserEnv = useBrowserEnvironment();

  /** Opens the sign-in page in a separate browser with these wallets. `asked` holds what they were asked to sign. */
  async function visit(testWallets: TestWallet[], options?: BrowserContextOptions, path = '/') {
    const { openContext, openPage } = browserEnv();
    const page = await (options === undefined ? openPage() : (await openContext(options)).newPage());
    const asked = await installTestWallets(page, ...testWallets);
    await page.goto(new URL(path, browserEnv().testEnv.baseUrl).href);
    await page.getByRole('heading', { level: 1 }).waitFor();
    return { page, asked };
  }

  it.each<Pick<TestWallet, 'can' | 'behaviour' | 'registers'>>([
    { can: 'sign-in', registers: 'waits' },
    { can: 'sign-in', registers: 'calls' },
    { can: 'message', registers: 'waits' },
    { can: 'message', registers: 'calls' },
    { can: 'sign-in', behaviour: 'bare' },
    { can: 'sign-in', behaviour: 'mute' },
  ])('S10, S14: signs in with one press with a wallet of the kind %o, and shows the message it signs', async (kind) => {
    const key = makeWallet();
    const testWallet: TestWallet = { name: 'Kind', keys: [key], ...kind };
    const late = kind.registers === 'calls';
    const { page, asked } = await visit([testWallet]);
    // A wallet that only announces itself must do so while the page listens: after it has loaded.
    if (late) {
      await page.getByText('No wallet found in this browser').waitFor();
      await addTestWallets(page, testWallet);
    }
    await button(page, 'Kind').waitFor();
    await page.getByText('Nonce:').waitFor();
    const shown = await preview(page);
    await button(page, 'Kind').click();
    await page.waitForURL('**/projects');
    // S9: the identity is the full address, and a person in no project sees it.
    await page.getByRole('main').getByText(key.address).waitFor();
    expect(asked).toEqual([shown.replace('(your wallet address)', key.address)]);
  });

  it('lets a person choose among several accounts by keyboard, for both kinds of wallets', async () => {
    for (const can of ['sign-in', 'message'] as const) {
      const keys = [makeWallet(), makeWallet(), makeWallet()];
      const { page } = await visit([{ name: 'Many', can, keys }]);
      await button(page, 'Many').click();
      const accounts = page.getByRole('group', { name: 'Which Many account do you want to use?' });
      await accounts.waitFor();
      await expectAccessible(page);
      await page.keyboard.press('Escape');
      await expect.poll(() => focused(page)).toContain('Many');
      await page.keyboard.press('Enter');
      await accounts.locator(':focus').waitFor();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/projects');
      await page
        .getByRole('main')
        .getByText(keys[1]?.address ?? '')
        .waitFor();
    }
  });

  it('reports quietly that nothing was signed, and leaves the focus where it was', async () => {
    const { page } = await visit([{ name: 'Shy', can: 'sign-in', behaviour: 'refuses', keys: [makeWallet()] }]);
    await page.getByText('Nonce:').waitFor();
    await button(page, 'Shy').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('status').filter({ hasText: 'Sign-in cancelled' }).waitFor();
    expect(await focused(page)).toContain('Shy');
    expect(await page.getByRole('alert').filter({ hasText: /./ }).count()).toBe(0);
  });

  it('continues with another wallet when one never answers, is locked, or throws an unknown error', async () => {
    const { page } = await visit([
      { name: 'Silent', can: 'message', behaviour: 'silent', keys: [makeWallet()] },
      { name: 'Locked', can: 'sign-in', behaviour: 'locked', keys: [makeWallet()] },
      { name: 'Odd', can: 'sign-in', behaviour: 'odd', keys: [makeWallet()] },
      { name: 'Good', can: 'sign-in', keys: [makeWallet()] },
    ]);
    await button(page, 'Silent').click();
    await page.getByText('Approve the request in your wallet').waitFor();
    await expectAccessible(page);
    await button(page, 'Cancel').click();
    await page.getByRole('status').filter({ hasText: 'Cancelled.' }).waitFor();
    await expect.poll(() => focused(page)).toContain('Silent');
    await button(page, 'Silent').click();
    await button(page, 'Cancel').waitFor();

    await button(page, 'Locked').click();
    await page.getByText('Locked is locked. Unlock it').waitFor();
    await page.getByText('locked', { exact: true }).waitFor();
    expect(await button(page, 'Cancel').count()).toBe(0);
    await button(page, 'Odd').click();
    await page.getByRole('alert').filter({ hasText: 'Your wallet returned an error' }).waitFor();
    await expectAccessible(page);
    await button(page, 'Good').click();
    await page.waitForURL('**/projects');
  });

  it('lists the last used wallet first, with its address in the message', async () => {
    const [first, second] = [makeWallet(), makeWallet()];
    const { page } = await visit([
      { name: 'First', can: 'sign-in', keys: [first] },
      { name: 'Second', can: 'sign-in', keys: [second] },
    ]);
    const order = () =>
      page
        .getByRole('button')
        .filter({ hasText: /First|Second/ })
        .allInnerTexts();
    await button(page, 'Second').waitFor();
    expect((await order()).map((text) => text.split('\n')[0])).toEqual(['First', 'Second']);
    await button(page, 'Second').click();
    await page.waitForURL('**/projects');
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in with your wallet' }).waitFor();
    await page.getByText(second.address).waitFor();
    expect((await order()).map((text) => text.split('\n')[0])).toEqual(['Second', 'First']);
  });

  it('S7: requests no signature when the message would name another site', async () => {
    const { page, asked } = await visit([{ name: 'Good', can: 'sign-in', keys: [makeWallet()] }]);
    const there = browserEnv().testEnv.baseUrl;
    const elsewhere = there.replace('localhost', '127.0.0.1');
    const requests: string[] = [];
    // The previous page may still have requests under way to its own address.
    page.on('request', (request) => {
      if (request.url().startsWith(elsewhere)) requests.push(new URL(request.url()).pathname);
    });
    await page.goto(elsewhere);
    await page.getByRole('alert').filter({ hasText: 'Wrong address' }).waitFor();
    expect(await page.getByRole('link', { name: `Open ${there}` }).getAttribute('href')).toBe(there);
    expect(await button(page, 'Good').count()).toBe(0);
    expect(requests).not.toEqual([]);
    expect([requests.includes('/api/auth/challenge'), asked]).toEqual([false, []]);
    await expectAccessible(page);
  });

  it('links to wallets when none is installed: to install one, or to its app on a phone', async () => {
    const wide = (await visit([])).page;
    await wide.getByText('No wallet found in this browser').waitFor();
    for (const [name, href] of [
      ['Phantom', 'https://phantom.com/download'],
      ['Solflare', 'https://solflare.com/download'],
    ] as const)
      expect(await wide.getByRole('link', { name }).getAttribute('href')).toBe(href);
    await expectAccessible(wide);

    const phone = (await visit([], PHONE, '/?next=/invites/secret')).page;
    const link = phone.getByRole('link', { name: 'Open in Phantom' });
    const origin = encodeURIComponent(new URL(browserEnv().testEnv.baseUrl).origin);
    await link.waitFor();
    expect(await link.getAttribute('href')).toBe(`https://phantom.app/ul/browse/${origin}?ref=${origin}`);
    await expectAccessible(phone);
    await expectFits(phone);
  });

  it('mentions the device clock when a wallet fails and the clock is wrong', async () => {
    const { page } = await visit([{ name: 'Odd', can: 'sign-in', behaviour: 'odd', keys: [makeWallet()] }]);
    await page.addInitScript(() => {
      const { now } = Date;
      Date.now = () => now() + 25 * 60_000;
    });
    await page.reload();
    await button(page, 'Odd').click();
    await page.getByText('Your device’s clock is off').waitFor();
    await page.getByText(/It is 25 min fast; the correct time is \d\d:\d\d:\d\d UTC/).waitFor();
  });
});
