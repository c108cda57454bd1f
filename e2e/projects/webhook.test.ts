// Tests the webhook tab in a browser: test events to saved and unsaved URLs, resuming, and secret rotation.
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { readProject, rotateWebhookSecret } from '@countersign/shared/routes/projects';
import { aSubmission, openProject, type OpenProject, review } from '../../server/test/builders.ts';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';
import { injectWallet, signIn } from '../support/injected-wallet.ts';
import { expectAccessible } from '../support/page-checks.ts';

const chromium = await findChromium();
const URL_FIELD = { name: 'URL', exact: true };
const PAUSED = 'It returned 410 Gone. Its deliveries are kept until you resume.';
const REFUSED = 'Use a public host: this one is a private, local or reserved address.';

describe.skipIf(chromium === undefined)('the webhook tab', () => {
  const browserEnv = useBrowserEnvironment();

  /** Signs in as the owner and opens the tab. */
  async function openTab(project: OpenProject = browserEnv().project): Promise<Page> {
    const page = await browserEnv().enter(browserEnv().owner, `/projects/${project.id}/webhook`);
    await page.getByRole('button', { name: 'Add endpoint' }).waitFor();
    return page;
  }

  async function onTab(page: Page, project: OpenProject): Promise<Page> {
    await page.goto(`${browserEnv().testEnv.baseUrl}/projects/${project.id}/webhook`);
    await page.getByRole('button', { name: 'Add endpoint' }).waitFor();
    return page;
  }

  const button = (page: Page, name: string) => page.getByRole('button', { name });
  const send = (page: Page) => button(page, 'Send test event').click();
  const result = (page: Page) => page.getByRole('group', { name: 'Test result' });

  it('WT1: sends a test event to the saved URL, and to one that is only typed', async () => {
    const page = await openTab();
    await send(page);
    await result(page).getByText('Responded with 200').waitFor();
    const { webhookId } = await browserEnv().receiver.nextTest();
    expect(await result(page).innerText()).toContain(webhookId);
    await expectAccessible(page);

    await button(page, 'Edit').click();
    await page.getByRole('textbox', URL_FIELD).fill('http://127.0.0.1:1024/hooks');
    await page.getByText('which is not saved yet').waitFor();
    await send(page);
    await result(page).getByText('No response').waitFor();
    const resultText = await result(page).innerText();
    expect(resultText).toContain('Connection refused.');
    expect(resultText).toContain('http://127.0.0.1:1024/hooks (not saved yet)');
    await expectAccessible(page);
    await button(page, 'Cancel').click();
  });

  it('W1: says at the field why a URL is refused, for a test and for a save', async () => {
    const { owner } = browserEnv();
    const project = await openProject(owner);
    // A tab whose console is not checked: it logs the refusal.
    const page = await browserEnv().openPage();
    await injectWallet(page, owner.wallet);
    await page.goto(browserEnv().testEnv.baseUrl);
    await signIn(page);
    await onTab(page, project);
    await button(page, 'Add endpoint').click();
    const field = page.getByRole('textbox', URL_FIELD);
    await field.waitFor();
    expect(await button(page, 'Send test event').isDisabled()).toBe(true);

    await field.fill('http://169.254.169.254/latest');
    await send(page);
    await page.getByText(REFUSED).waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    await field.fill('http://10.0.0.1/');
    await expect.poll(() => page.getByText(REFUSED).count()).toBe(0);
    await button(page, 'Save endpoint').click();
    await page.getByText(REFUSED).first().waitFor();
    await button(page, 'Cancel').click();
  });

  it('WH3: shows at once that the endpoint is paused, and resumes it', async () => {
    const { owner, project, receiver } = browserEnv();
    const page = await openTab();
    receiver.answer = () => ({ status: 410 });
    const { id } = await project.pipeline.submit(aSubmission());
    await review(owner, id, 'approve');
    await receiver.next(id);
    await page.getByText(PAUSED).waitFor();
    await expectAccessible(page);
    receiver.answer = () => ({ status: 200 });
    await button(page, 'Resume').click();
    expect(await receiver.next(id)).toMatchObject({ attempt: 2 });
    await page.getByText(PAUSED).waitFor({ state: 'hidden' });
  });

  it('adds the first endpoint, rotates its secret, and shows the state after a reload and in another browser', async () => {
    const { owner } = browserEnv();
    const project = await openProject(owner);
    const page = await openTab(project);
    await button(page, 'Add endpoint').click();
    await page.getByRole('textbox', URL_FIELD).fill('http://127.0.0.1:1024/hooks');
    await button(page, 'Save endpoint').click();
    await page.getByText('No secret yet.').waitFor();
    expect(await owner.call(readProject, { params: { id: project.id } })).toMatchObject({
      webhook_url: 'http://127.0.0.1:1024/hooks',
    });
    await button(page, 'Create secret').click();
    await page.getByText('It signs all deliveries from now on.').waitFor();
    expect(await page.locator('code', { hasText: /^whsec_/ }).count()).toBe(1);
    await button(page, 'Done').click();
    await page.getByText('One active secret.').waitFor();

    // Another owner starts the next rotation: this page receives it, and shows only the new state.
    await owner.call(rotateWebhookSecret, { params: { id: project.id } });
    await page.getByText('Rotation in progress.').waitFor();
    await onTab(page, project);
    await page.getByText(/Promoted automatically \(in (24 h|1 d)/).waitFor();
    await button(page, 'Promote new secret').click();
    await page.getByText('The old one still signs the secondary header.').waitFor();
    expect(await page.locator('code', { hasText: /^whsec_/ }).count()).toBe(0);
  });
});
