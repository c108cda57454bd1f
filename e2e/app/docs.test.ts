// Tests the API documentation in a browser: public, deep links work, and “Try it” submits an item.
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { makeWallet } from '../../server/test/client.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';
import { expectAccessible } from '../support/page-checks.ts';
import { LANGUAGES, readSnippet } from '../../server/test/journeys/pipeline/languages.ts';

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

/** Runs in the page: chooses every tab and every language, copies every visible box, and returns those that are wrong. */
async function codeFaults(): Promise<{ boxes: number; faults: string[] }> {
  const copied: string[] = [];
  const writeText = (text: string) => Promise.resolve(void copied.push(text));
  Object.defineProperty(navigator.clipboard, 'writeText', { value: writeText });
  const faults: string[] = [];
  let boxes = 0;
  const checkVisible = async (within: ParentNode) => {
    await new Promise(requestAnimationFrame);
    for (const box of within.querySelectorAll('pre')) {
      if (!box.checkVisibility()) continue;
      boxes += 1;
      box.parentElement?.querySelector<HTMLButtonElement>('button[title^="Copy "]')?.click();
      const text = box.textContent;
      if (text.trim() === '' || copied.pop() !== text) faults.push(box.ariaLabel ?? 'a box without a name');
    }
  };
  for (const tab of document.querySelectorAll<HTMLElement>('[role=tab]')) {
    tab.click();
    await checkVisible(document.querySelector('#languages') ?? document);
  }
  await checkVisible(document);
  for (const radio of document.querySelectorAll<HTMLElement>(':has(> pre) input[type=radio]')) {
    radio.click();
    await checkVisible(radio.closest('div:has(> pre)') ?? document);
  }
  return { boxes, faults };
}

describe.skipIf(chromium === undefined)('the API documentation', () => {
  const browserEnv = useBrowserEnvironment();

  it('QU16: has every program before scripts run, and opens the one that the address names', async () => {
    const page = await (await browserEnv().openContext({ javaScriptEnabled: false })).newPage();
    await page.goto(browserEnv().frontProxy.url + DOCS);
    const main = page.getByRole('main');
    expect(await main.getByRole('heading', { level: 1 }).innerText()).toBe('In your language');
    expect(await main.locator('summary').allTextContents()).toEqual(LANGUAGES.map(({ name }) => name));
    const programs = await main.locator('details pre:first-child').allTextContents();
    expect(programs).toEqual(LANGUAGES.map(({ file }) => readSnippet(file)));
    expect(await main.getByRole('region').first().innerText()).toContain('curl');
    // No checker runs in a page without scripts.
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    expect(
      await main
        .getByRole('region')
        .first()
        .evaluate((code) => code === document.activeElement),
    ).toBe(true);
    await page.goto(`${browserEnv().frontProxy.url}${DOCS}#python`);
    await main.getByRole('region', { name: 'program, Python' }).waitFor();
  });

  it('QU16: asks for the font of all text before its style sheet is read, and for no other', async () => {
    const answer = await fetch(browserEnv().frontProxy.url + DOCS);
    const preloads = (await answer.text()).match(/<link [^>]*rel="preload"[^>]*>/g) ?? [];
    expect(preloads).toEqual([expect.stringMatching(/inter-latin-wght-normal\.[\w-]+\.woff2" .*as="font"/)]);
  });

  it('QU16: leaves no code of the built page empty, and copies exactly what it shows', async () => {
    const page = await browserEnv().visit(makeWallet(), `${DOCS}#pydantic-ai`);
    await page.getByRole('table').last().waitFor();
    expect(await page.locator('#without-scripts').count()).toBe(0);
    expect(await page.getByRole('tab', { selected: true }).innerText()).toBe('Pydantic AI');
    await page.getByRole('region', { name: 'program, Pydantic AI' }).waitFor();
    // These come in tasks of their own.
    await page.locator('#verify pre').first().waitFor({ state: 'attached' });
    await page.waitForFunction(
      (all) => document.querySelectorAll('#languages pre').length === all,
      4 * LANGUAGES.length,
    );
    const { boxes, faults } = await page.evaluate(codeFaults);
    expect(faults).toEqual([]);
    expect(boxes).toBeGreaterThan(4 * LANGUAGES.length);
    await page.getByRole('tab', { name: 'LangGraph' }).click();
    expect(new URL(page.url()).hash).toBe('#langgraph');
    await page.goto(browserEnv().frontProxy.url + DOCS);
    await page.getByRole('tab', { name: 'LangGraph', selected: true }).waitFor();
    expect(await page.locator('#verify').getByRole('radio', { checked: true }).inputValue()).toBe('Python');
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
    await page.getByRole('heading', { name: 'Countersign API', exact: true }).waitFor();
  });
});
