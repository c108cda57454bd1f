// The API documentation in a browser: open to everybody, found by deep links, and its “Try it” really submits.
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { makeWallet } from '../../server/test/client.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';
import { expectAccessible } from '../support/page-checks.ts';

const chromium = await findChromium();
const DOCS = '/api/public/docs';

/** Waits until the part that the anchor names begins just below the head of the page, and the contents mark it. */
async function isRead(page: Page, anchor: string): Promise<void> {
  await page.locator(`a[href="#${anchor}"][aria-current]`).first().waitFor({ state: 'attached' });
  await page.waitForFunction((id) => {
    const { top } = document.getElementById(id)?.getBoundingClientRect() ?? { top: -1 };
    return top >= 48 && top < 160;
  }, anchor);
}

describe.skipIf(chromium === undefined)('the API documentation', () => {
  const browserEnv = useBrowserEnvironment();

  it('QU16: shows its first request before scripts ran, and no sample of the built page is empty', async () => {
    const withoutScripts = await (await browserEnv().openContext({ javaScriptEnabled: false })).newPage();
    await withoutScripts.goto(browserEnv().frontProxy.url + DOCS);
    expect(await withoutScripts.locator('pre').first().innerText()).toContain('curl');
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

  it('submits an item with a real key, without anybody signed in', async () => {
    const { project, visit } = browserEnv();
    const page = await visit(makeWallet(), DOCS);
    const section = page.locator('#submitItem');
    await section.getByText('Try it', { exact: true }).click();
    await section.getByLabel('API key').fill(project.pipeline.apiKey);
    await section.getByLabel('Project ID').fill(project.id);
    await section.getByRole('button', { name: 'Send' }).click();
    await section.getByText('201 Created').waitFor();
    await expectAccessible(page);

    const answered = await section.getByRole('region', { name: /^response body/ }).innerText();
    const { id } = JSON.parse(answered) as { id: string };
    expect(await project.pipeline.read(id)).toMatchObject({ status: 'queued', project_id: project.id });

    // The key is typed once for the page, and is gone with it.
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

  it('is found by deep links and by its contents, on a phone too', async () => {
    const page = await browserEnv().visit(makeWallet(), `${DOCS}#listEvents`);
    await isRead(page, 'listEvents');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByText('Contents', { exact: true }).click();
    await page.getByRole('link', { name: 'Rate limits', exact: true }).click();
    await isRead(page, 'busy');
    expect(await page.getByRole('link', { name: 'Rate limits', exact: true }).isVisible()).toBe(false);
    expect(new URL(page.url()).hash).toBe('#busy');
  });

  it('says what happened when its document does not come, and fetches it again', async () => {
    // Nobody watches its console: it is to have a failed request on it.
    const page = await (await browserEnv().openContext()).newPage();
    await page.route('**/openapi.json', (route) => route.fulfill({ status: 503, body: 'busy' }), { times: 1 });
    await page.goto(browserEnv().frontProxy.url + DOCS);
    await page.getByText("Couldn't load the documentation").waitFor();
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('heading', { name: 'Your first request' }).waitFor();
  });
});
