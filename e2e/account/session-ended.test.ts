// Tests that a person keeps what they typed when their session ends or their role is removed during the work.
import { readFile } from 'node:fs/promises';
import type { BrowserContext, Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { listMembers, removeMember } from '@countersign/shared/routes/projects';
import { readQueueItem } from '@countersign/shared/routes/queue';
import { endOtherSessions } from '@countersign/shared/routes/session';
import { aSubmission, join, offerTo } from '../../server/test/builders.ts';
import { makeWallet, person, type Wallet } from '../../server/test/client.ts';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';
import { injectWallet, signIn } from '../support/injected-wallet.ts';
import { expectAccessible } from '../support/page-checks.ts';
import { waitUntilIdle } from '../support/queue.ts';

const chromium = await findChromium();
const editor = (page: Page) => page.getByLabel('Your answer');

describe.skipIf(chromium === undefined)('a session or role that ends during the work', () => {
  const browserEnv = useBrowserEnvironment();

  /** Opens a queue tab whose console is not checked: when a session or a role ends, it may log a 401 or 404. */
  async function openTab(wallet: Wallet, path: string): Promise<{ page: Page; context: BrowserContext }> {
    const page = await browserEnv().openPage();
    await injectWallet(page, wallet);
    await page.goto(browserEnv().testEnv.baseUrl + path);
    await signIn(page);
    return { page, context: page.context() };
  }

  /** Claims the one queued item and types into it. */
  async function typing(page: Page, question: string, typed: string): Promise<void> {
    await page.getByRole('row').filter({ hasText: question }).waitFor();
    await page.keyboard.press('n');
    await page.getByRole('button', { name: /^Edit/ }).click();
    await editor(page).fill(typed);
  }

  it('keeps the page and the draft when the session ends; signing in again continues with the same item', async () => {
    const { testEnv, project } = browserEnv();
    const wallet = makeWallet();
    const elsewhere = await person(testEnv, wallet);
    await join(project, elsewhere);
    const { id } = await project.pipeline.submit(aSubmission({ input: { question: 'Will it be kept?' } }));
    const { page } = await openTab(wallet, '/queue');
    await typing(page, 'Will it be kept?', 'Typed before the session ended.');

    await elsewhere.call(endOtherSessions);
    const dialog = page.getByRole('dialog', { name: 'You have been signed out' });
    await dialog.getByRole('button', { name: 'Test Wallet' }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    expect(await dialog.isVisible()).toBe(true);

    await dialog.getByRole('button', { name: 'Test Wallet' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(new URL(page.url()).pathname).toBe('/queue');
    expect(await editor(page).inputValue()).toBe('Typed before the session ended.');
    await page.getByRole('button', { name: 'Wrong fact' }).click();
    await page.keyboard.press('Control+Enter');
    await expect.poll(async () => (await project.pipeline.read(id)).status).toBe('approved');
    expect(await project.pipeline.read(id)).toMatchObject({
      decision: { output: 'Typed before the session ended.' },
    });
    await waitUntilIdle(page);
  });

  it('PM2: releases the item when the role is removed, and lets the person copy what they typed', async () => {
    const { testEnv, owner, project } = browserEnv();
    const wallet = makeWallet();
    const leaver = await person(testEnv, wallet);
    await join(project, leaver);
    const { id } = await project.pipeline.submit(aSubmission({ input: { question: 'Whose is it now?' } }));
    const { page, context } = await openTab(wallet, '/queue');
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await typing(page, 'Whose is it now?', 'Typed before the role went.');
    expect((await owner.call(readQueueItem, { params: { id } })).claim?.user_id).toBe(leaver.id);

    await owner.call(removeMember, { params: { id: project.id, user_id: leaver.id } });
    await page.getByRole('heading', { name: 'Your draft' }).waitFor();
    await page.getByText('your claim was released').waitFor();
    expect(await editor(page).count()).toBe(0);
    await page.getByText('Typed before the role went.').waitFor();
    expect((await owner.call(readQueueItem, { params: { id } })).claim).toBeNull();
    await expectAccessible(page);

    await page.getByRole('button', { name: 'Copy draft' }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('Typed before the role went.');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download draft' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`draft-${id}.txt`);
    expect(await readFile(await download.path(), 'utf8')).toBe('Typed before the role went.');
  });

  it('shows their address to a person in no project, and shows the project when they accept an offer', async () => {
    const { owner, project } = browserEnv();
    const wallet = makeWallet();
    const { page, context } = await openTab(wallet, '/');
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('heading', { name: 'You are not in a project yet' }).waitFor();
    await page.getByRole('button', { name: 'Copy address' }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(wallet.address);
    await page.getByRole('button', { name: 'New project' }).waitFor();

    const params = { id: project.id };
    await offerTo(project, wallet.address);
    await page.getByRole('button', { name: /^Accept/ }).click();
    await page.getByRole('table').getByText(project.project.name).waitFor();
    expect(await page.getByRole('heading', { name: 'You are not in a project yet' }).count()).toBe(0);
    expect((await owner.call(listMembers, { params })).data.map(({ address }) => address)).toContain(wallet.address);
  });
});
