// Tests hostile wallets: names stay text, icons are self-contained, nothing external loads, the layout does not move.
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { makeWallet } from '../../server/test/client.ts';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';
import { installTestWallets, type TestWallet } from '../support/test-wallets.ts';

const chromium = await findChromium();
const svg = (inside: string) =>
  `data:image/svg+xml;base64,${Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 9 9">${inside}</svg>`).toString('base64')}`;

const OUTSIDE = 'http://evil.test/icon.png';
const NAMES = {
  markup: '<img src=x onerror="window.hacked=1">',
  script: '"><script>window.hacked=1</script>',
  template: '{@html "<b>x</b>"} ${7*7} {{7*7}}',
  long: 'W'.repeat(10_000),
  wide: '﷽'.repeat(200),
  bidi: 'Phan\u202etom\u202d\u2066',
  marks: `Z${'\u0301'.repeat(400)}`,
  lines: 'one\n\n\n\ntwo',
  none: '',
};
const ICONS = [
  'javascript:window.hacked=1',
  OUTSIDE,
  'https://evil.test/icon.png',
  '//evil.test/icon.png',
  `data:text/html;base64,${btoa('<script>parent.hacked=1</script>')}`,
  svg(
    '<script>top.hacked=1;parent.hacked=1;window.hacked=1</script><rect width="9" height="9" onload="top.hacked=1"/>',
  ),
  svg(`<image xlink:href="${OUTSIDE}" width="9" height="9"/><style>@import url(${OUTSIDE})</style>`),
  svg(
    '<foreignObject width="9" height="9"><iframe xmlns="http://www.w3.org/1999/xhtml" src="http://evil.test/"/></foreignObject>',
  ),
  `data:image/png;base64,${'A'.repeat(5_000_000)}`,
];

describe.skipIf(chromium === undefined)('hostile wallets', () => {
  const browserEnv = useBrowserEnvironment();

  /** Opens the sign-in page with these wallets; returns requests to other origins and the errors of the page. */
  async function visit(testWallets: TestWallet[]): Promise<{ page: Page; outside: string[]; faults: string[] }> {
    const page = await browserEnv().openPage();
    const { host } = new URL(browserEnv().testEnv.baseUrl);
    const [outside, faults]: [string[], string[]] = [[], []];
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.protocol !== 'data:' && url.host !== host) outside.push(url.href);
    });
    page.on('pageerror', ({ message }) => faults.push(message));
    await installTestWallets(page, ...testWallets);
    await page.goto(browserEnv().testEnv.baseUrl);
    await page.getByText('Nonce:').waitFor();
    return { page, outside, faults };
  }

  const hacked = (page: Page) => page.evaluate(() => 'hacked' in window);

  async function fits(page: Page): Promise<void> {
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      for (const one of await page.getByRole('button').filter({ hasText: 'installed' }).all()) {
        const { x = 0, width: wide = 0, height = 0 } = (await one.boundingBox()) ?? {};
        expect([x + wide < width, height]).toEqual([true, 56]);
      }
    }
  }

  it('shows each name as one line of text and keeps the layout', async () => {
    const testWallets = Object.values(NAMES).map((name): TestWallet => ({
      name,
      can: 'sign-in',
      keys: [makeWallet()],
    }));
    const { page, outside, faults } = await visit(testWallets);
    const shown = await page.locator('button bdi').allInnerTexts();
    expect(shown).toEqual([
      NAMES.markup,
      NAMES.script,
      NAMES.template,
      `${'W'.repeat(47)}…`,
      `${'﷽'.repeat(47)}…`,
      'Phantom',
      expect.stringMatching(/^Z\u0301{46}…$/u),
      'one two',
      'Unnamed wallet',
    ]);
    await fits(page);
    expect([await hacked(page), outside, faults]).toEqual([false, [], []]);
  });

  it('shows only self-contained icons, runs no script of theirs, and fetches nothing', async () => {
    const testWallets = ICONS.map((icon, index): TestWallet => ({
      name: `W${index}`,
      icon,
      can: 'sign-in',
      keys: [makeWallet()],
    }));
    const { page, outside, faults } = await visit(testWallets);
    const pictures = await page.locator('button img').evaluateAll((all) => all.map((one) => one.getAttribute('src')));
    expect(pictures).toEqual(ICONS.slice(5, 8));
    await page.waitForFunction(() => [...document.images].every((image) => image.complete));
    await fits(page);
    expect([await hacked(page), outside, faults]).toEqual([false, [], []]);
  });

  it('does not let a wallet hide an honest one by its name or by a broken registration', async () => {
    const [honest, twin] = [makeWallet(), makeWallet()];
    const { page, faults } = await visit([
      { name: 'Phantom', can: 'sign-in', keys: [honest] },
      { name: 'Phantom', can: 'sign-in', behaviour: 'silent', keys: [twin] },
    ]);
    await page.evaluate(() => {
      const thrower = new Proxy(
        {},
        {
          get: () => {
            throw new Error('mine');
          },
        },
      );
      for (const thing of [null, 7, {}, { features: null }, thrower]) {
        const detail = ({ register }: { register(value: unknown): void }) => register(thing);
        window.dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail }));
      }
    });
    const both = page.getByRole('button', { name: 'Phantom' });
    expect(await both.count()).toBe(2);
    await both.filter({ hasText: 'same name, different wallet' }).click();
    // Only the wallet that was pressed is asked.
    await page.getByRole('button', { name: 'Cancel' }).waitFor();
    expect(await page.locator('button[aria-busy]').count()).toBe(1);
    await both.filter({ hasText: 'installed' }).click();
    await page.waitForURL('**/projects');
    await page.getByRole('main').getByText(honest.address).waitFor();
    expect(faults).toEqual([]);
  });
});
