// Tests QU12 in a real Chromium: without WebSocket a person can work the queue, and the page says how it is connected.
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { readQueueItem } from '@countersign/shared/routes/queue';
import { aSubmission, openProject } from '../../server/test/builders.ts';
import { makeWallet, person } from '../../server/test/client.ts';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { sessionCookies, useBrowserEnvironment } from '../support/test-environment.ts';
import { row } from '../support/queue.ts';
import { ALL_APPEARANCES, expectAccessible, saveScreenshot, setAppearance } from '../support/page-checks.ts';

const chromium = await findChromium();

describe.skipIf(chromium === undefined)('without WebSocket', () => {
  const browserEnv = useBrowserEnvironment();

  it('QU12: catches up, decides, and never reports an outage', async () => {
    const { owner, receiver, enter, frontProxy } = browserEnv();
    const project = await openProject(owner, { receiver });
    const submit = async (question: string) => (await project.pipeline.submit(aSubmission({ input: { question } }))).id;
    const id = await submit('There before?');
    const page = await enter(owner, '/projects');
    await page.routeWebSocket(/socket\.io/, (socket) => socket.close());
    await page.goto(`${frontProxy.url}/queue?project=${project.id}`);
    await page.evaluate(() => {
      const indicators = new Set<string>();
      new MutationObserver(() => indicators.add(document.body.innerText)).observe(document.body, {
        subtree: true,
        childList: true,
        characterData: true,
      });
      Object.assign(window, { indicators });
    });
    await page.locator('[data-live=polling]').waitFor();
    await page.getByText('This page refreshes every 15 s').first().waitFor();
    await submit('Came later?');
    // The test does not wait for the poll: a page that becomes visible again polls at once.
    await page.evaluate(() => window.dispatchEvent(new Event('online')));
    await row(page, 'Came later?').waitFor();
    await page.keyboard.press('n');
    await page.getByRole('button', { name: 'Approve', exact: true }).and(page.locator(':enabled')).waitFor();
    await page.locator('[data-actions-enabled=true]').waitFor();
    await page.keyboard.press('a');
    await expect.poll(async () => (await owner.call(readQueueItem, { params: { id } })).status).toBe('approved');
    const indicators = await page.evaluate(() =>
      [...(window as unknown as { indicators: Set<string> }).indicators].join('\n'),
    );
    expect(indicators).not.toContain('not decide');
  });

  const openForm = async (page: Page) => {
    await page.getByRole('button', { name: 'Add endpoint' }).click();
    await page.getByLabel('URL').fill('https://typed.example');
    await page.locator('[data-blocks-reload]').waitFor();
  };
  const openDialog = async (page: Page) => {
    await page.getByRole('button', { name: 'Add endpoint' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  };

  it.each([
    ['has a form with input', openForm],
    ['has an open dialog', openDialog],
  ])('QU12: asks for a reload when the browser has another session and the page %s', async (_, open) => {
    const { testEnv, owner, project, openPage, frontProxy } = browserEnv();
    const other = await person(testEnv, makeWallet());
    // Its console is not checked: what it reads with the other session may be refused.
    const page = await openPage();
    await page.context().addCookies(sessionCookies(owner, frontProxy.url));
    await page.routeWebSocket(/socket\.io/, (socket) => socket.close());
    await page.goto(`${frontProxy.url}/projects/${project.id}/webhook`);
    await open(page);
    await page.context().addCookies(sessionCookies(other, frontProxy.url));
    const dialog = page.getByRole('alertdialog', { name: 'This browser is signed in as someone else' });
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    expect(await dialog.isVisible()).toBe(true);
    for (const appearance of ALL_APPEARANCES) {
      await setAppearance(page, appearance);
      await expectAccessible(page);
      await saveScreenshot(page, `replaced-${appearance.colorScheme}-${appearance.size.width}`);
    }
    const asked: string[] = [];
    page.on('dialog', (question) => (asked.push(question.type()), void question.accept()));
    await dialog.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('button', { name: `Account: ${other.wallet.address.slice(0, 4)}` }).waitFor();
    // The person has just been told what is lost: the browser does not ask again.
    expect(asked).toEqual([]);
  });

  it('QU12: loads again when the browser has got another person’s session', async () => {
    const { testEnv, owner, enter, frontProxy } = browserEnv();
    const other = await person(testEnv, makeWallet());
    const page = await enter(owner, '/queue');
    await page.routeWebSocket(/socket\.io/, (socket) => socket.close());
    await page.goto(`${frontProxy.url}/queue`);
    await page.locator('[data-live=polling]').waitFor();
    const loadedAgain = page.waitForEvent('load');
    await page.context().addCookies(sessionCookies(other, frontProxy.url));
    await loadedAgain;
    await page.getByRole('button', { name: `Account: ${other.wallet.address.slice(0, 4)}` }).waitFor();
  });
});
