// Tests the API documentation in a browser: public, deep links work, and “Try it” submits an item.
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { makeWallet } from '../../server/test/client.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';
import { expectAccessible } from '../support/page-checks.ts';

const chromium = await findChromium();
const DOCS = '/api/public/docs';

/** Waits until the section of the anchor starts just below the page header and is marked in the table of contents. */
async function isRead(page: Page, anchor: string): Promise<void> {
  await page.locator(`a[href="#${anchor}"][aria-current]`).first().waitFor({ state: 'attached' });
  await page.waitForFunction((id) => {
    const { top } = document.getElementById(id)?.getBoundingClientRect() ?? { top: -1 };
    return top >= 48 && top < 160;
  }, anchor);
}

describe.skipIf(chromium === undefined)('the API documentation', () => {
  const browserEnv = useBrowserEnvironment();

  it('QU16: shows its first request before scripts run, and leaves no sample of the built page empty', async () => {
    const withoutScripts = await (await browserEnv().openContext({ javaScriptEnabled: false })).newPage();
    await withoutScripts.goto(browserEnv().frontProxy.url + DOCS);
    expect(await withoutScripts.locator('pre').first().innerText()).toContain('curl');
    // No checker runs in a page without scripts.
    const main = withoutScripts.getByRole('main');
    expect(await main.getByRole('heading', { level: 1 }).innerText()).toBe('Your first request');
    await withoutScripts.keyboard.press('Tab');
    expect(await main.getByRole('region').evaluate((code) => code === document.activeElement)).toBe(true);
    const page = await browserEnv().visit(makeWallet(), DOCS);
    await page.getByRole('table').last().waitFor();
    expect(await page.locator('#first-request').count()).toBe(0);
    await page.locator('pre').filter({ hasText: 'export COUNTERSIGN_URL' }).waitFor();
    const languages = await page.getByRole('radio').all();
    expect(languages.length).toBeGreaterThan(5);
    for (const language of [undefined, ...languages]) {
      await language?.check({ force: true });
      const texts = await page.locator('pre').evaluateAll((boxes) => boxes.map((box) => box.textContent.trim()));
      expect(texts.filter((text) => text === '')).toEqual([]);
    }
  });

  it('submits an item with a real key, without a session', async () => {
    const { project, visit } = browserEnv();
    const page = await visit(makeWallet(), DOCS);
    const section = page.locator('#submitItem');
    await section.getByText('Try it', { exact: true }).click();
    await section.getByLabel('API key').fill(project.pipeline.apiKey);
    await section.getByLabel('Project ID').fill(project.id);
    await section.getByRole('button', { name: 'Send' }).click();
    await section.getByText('201 Created').waitFor();
    // pages.test.ts checks the rest of this long page.
    await expectAccessible(page, '#submitItem');

    const answered = await section.getByRole('region', { name: /^response body/ }).innerText();
    const { id } = JSON.parse(answered) as { id: string };
    expect(await project.pipeline.read(id)).toMatchObject({ status: 'queued', project_id: project.id });

    // A person types the key once per page; a reload drops it.
    const reading = page.locator('#readItem');
    await reading.getByText('Try it', { exact: true }).click();
    await reading.getByLabel('id', { exact: true }).fill(id);
    await reading.getByRole('button', { name: 'Send' }).click();
    await reading.getByText('200 OK').waitFor();
    await page.reload();
    await section.getByText('Try it', { exact: true }).click();
    expect(await section.getByLabel('API key').inputValue()).toBe('');
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).not.toContain('csk_');
  });

  it('opens deep links and entries of the table of contents, on a phone too', async () => {
    const page = await browserEnv().visit(makeWallet(), `${DOCS}#listEvents`);
    await isRead(page, 'listEvents');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByText('Contents', { exact: true }).click();
    await page.getByRole('link', { name: 'Rate limits', exact: true }).click();
    await isRead(page, 'busy');
    expect(await page.getByRole('link', { name: 'Rate limits', exact: true }).isVisible()).toBe(false);
    expect(new URL(page.url()).hash).toBe('#busy');
  });

  it('says so when its document fails to load, and loads it again', async () => {
    // The console is not checked: it logs the failed request.
    const page = await browserEnv().openPage();
    await page.route('**/openapi.json', (route) => route.fulfill({ status: 503, body: 'busy' }), { times: 1 });
    await page.goto(browserEnv().frontProxy.url + DOCS);
    await page.getByText("Couldn't load the documentation").waitFor();
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('heading', { name: 'Responses', exact: true }).waitFor();
  });
});
