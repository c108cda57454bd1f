// Tests that a page which an earlier test used is as new: nothing that a test left there reaches the next one.
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { PHONE, WIDE } from './page-checks.ts';
import { useBrowserEnvironment } from './test-environment.ts';

const chromium = await findChromium();

describe.skipIf(chromium === undefined)('a page that is used again', () => {
  const browserEnv = useBrowserEnvironment();
  let used: Page;
  let heard = 0;

  it('is left with storage, cookies, scripts, routes, listeners, another size and another tab', async () => {
    const { owner, enter, frontProxy } = browserEnv();
    used = await enter(owner, '/projects');
    await used.getByRole('heading', { name: 'Projects' }).waitFor();
    await used.evaluate(() => {
      localStorage.setItem('left', 'here');
      sessionStorage.setItem('left', 'here');
      window.name = 'left';
    });
    await used.addInitScript(() => Object.assign(window, { leftScript: true }));
    await used.exposeFunction('leftFunction', () => true);
    await used.context().grantPermissions(['clipboard-read']);
    await used.setViewportSize(PHONE);
    await used.emulateMedia({ colorScheme: 'dark' });
    await used.context().newPage();
    await used.goto(`${frontProxy.url}/queue`);
    used.on('request', () => (heard += 1));
    await used.route('**/queue', (route) => route.fulfill({ body: 'left' }));
    expect(await used.evaluate(() => ['leftScript' in window, 'leftFunction' in window])).toEqual([true, true]);
  });

  it('has none of it afterwards', async () => {
    const { openPage, frontProxy } = browserEnv();
    const page = await openPage();
    expect(page, 'the same page').toBe(used);
    heard = 0;
    await page.goto(`${frontProxy.url}/queue`);
    await page.getByRole('heading', { name: 'Sign in with your wallet' }).waitFor();
    const found = await page.evaluate(() => ({
      stored: [localStorage.getItem('left'), sessionStorage.getItem('left'), window.name],
      scripts: ['leftScript', 'leftFunction'].filter((name) => name in window),
      dark: matchMedia('(prefers-color-scheme: dark)').matches,
      width: innerWidth,
    }));
    expect(found).toEqual({ stored: [null, null, ''], scripts: [], dark: false, width: WIDE.width });
    expect(
      await page.evaluate(async () => (await navigator.permissions.query({ name: 'clipboard-read' as never })).state),
    ).not.toBe('granted');
    expect([heard, page.context().pages().length]).toEqual([0, 1]);
  });

  it('is closed when a change cannot be undone', async () => {
    used = await browserEnv().openPage();
    await used.clock.install();
    expect(used.isClosed()).toBe(false);
  });

  it('is another page then', async () => {
    expect(await browserEnv().openPage()).not.toBe(used);
    expect(used.isClosed()).toBe(true);
  });
});
