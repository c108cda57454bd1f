// Tests the notifications tab in a real browser: add, test, edit, the log with sending again, and remove.
import { afterAll, describe, expect, it } from 'vitest';
import { aSubmission, openProject } from '../../server/test/builders.ts';
import { closeReceivers, httpReceiver } from '../../server/test/fixtures/receivers.ts';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';
import { checkAppearances } from '../support/page-checks.ts';

const chromium = await findChromium();
/** In ms, as long as a step of a page may take; no test waits it out. */
const SENT = { timeout: 90_000 };

describe.skipIf(chromium === undefined)('the notifications tab', () => {
  const browserEnv = useBrowserEnvironment();
  afterAll(closeReceivers);

  it('NO6: adds a channel, tests it, shows what was sent, sends it again, and removes the channel', async () => {
    const got: string[] = [];
    const { port } = await httpReceiver((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        got.push(body);
        response.writeHead(200).end('ok');
      });
    });
    const { owner } = browserEnv();
    const project = await openProject(owner);
    await project.pipeline.submit(aSubmission());
    await project.pipeline.submit(aSubmission());
    const page = await browserEnv().enter(owner, `/projects/${project.id}/notifications`);
    await page.getByText('No notifications yet.').waitFor();
    await page
      .getByRole('heading', { name: 'No messages yet' })
      .or(page.getByText('No messages yet'))
      .first()
      .waitFor();

    await page.getByRole('button', { name: 'Add notification' }).click();
    await page.getByRole('button', { name: 'Save notification' }).click();
    await page.getByText('Enter a URL.').waitFor();
    await page
      .getByRole('textbox', { name: 'URL', exact: true })
      .fill(`http://127.0.0.1:${port}/services/secret-channel`);
    await page.getByRole('checkbox', { name: 'Too many items are waiting' }).check();
    await page.getByRole('textbox', { name: 'Most waiting items' }).fill('1');
    await page.getByRole('button', { name: 'Send test message' }).click();
    await page.getByText('Responded with 200').waitFor();
    expect(got[0]).toContain('This is a test.');
    await checkAppearances(page, 'notifications-form');
    await page.getByRole('button', { name: 'Save notification' }).click();
    await page.getByText('more than 1 item waiting').waitFor();

    // The worker evaluates the rules every fifteen seconds, and the tab looks while a message is under way.
    await expect.poll(() => got.length, SENT).toBe(2);
    const log = page.getByRole('region', { name: 'Messages' });
    await log.getByText('2 items are waiting, more than 1.').first().waitFor();
    await log.getByText('1 attempt').click();
    await checkAppearances(page, 'notifications');
    expect(await page.content()).not.toContain('/services/secret');
    await log.getByRole('button', { name: /^Send again/ }).click();
    await expect.poll(() => got.length, SENT).toBe(3);
    await log.getByText('2 attempts').waitFor();

    await page.getByRole('button', { name: /^Edit/ }).click();
    await page.getByRole('checkbox', { name: 'Too many items are waiting' }).uncheck();
    await page.getByRole('button', { name: 'Save notification' }).click();
    await page.getByText('more than 1 item waiting').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: /^Remove/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No notifications yet.').waitFor();
    await log.getByRole('button', { name: /^Send again/ }).waitFor({ state: 'hidden' });
  });
});
