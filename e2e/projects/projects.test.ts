// Tests the project list, onboarding and the overview in a real Chromium: every figure updates live.
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { changeProject, createProject, rotateWebhookSecret } from '@countersign/shared/routes/projects';
import { claimNext } from '@countersign/shared/routes/queue';
import { aProject, aSubmission, join, openProject, review } from '../../server/test/builders.ts';
import { makeWallet, person, pipeline } from '../../server/test/client.ts';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';
import { signIn } from '../support/injected-wallet.ts';
import { expectAccessible } from '../support/page-checks.ts';

const chromium = await findChromium();

const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
const at = (page: Page, steps: number) => page.getByText(`${steps} of 4`).waitFor();
const happened = (page: Page, what: string) =>
  page.getByRole('region', { name: 'Live' }).getByRole('listitem').filter({ hasText: what }).waitFor();

describe.skipIf(chromium === undefined)('the projects', () => {
  const browserEnv = useBrowserEnvironment();

  it('the onboarding steps complete automatically: project and key, item, decision, webhook', async () => {
    const { testEnv, receiver, visit } = browserEnv();
    const wallet = makeWallet();
    const page = await visit(wallet, '/projects');
    await signIn(page);
    await page.getByText('You are not in a project yet').waitFor();
    await at(page, 0);
    await expectAccessible(page);

    await page.keyboard.press('c');
    await page.getByLabel('Name').fill('Maths answers');
    await page.keyboard.press('Enter');
    await at(page, 1);
    await page.getByText('Waiting for your first item').waitFor();
    await happened(page, 'API key created');
    await expectAccessible(page);
    const loads: string[] = [];
    page.on('framenavigated', (frame) => loads.push(frame.url()));

    // Runs the command that the page shows, as a pipeline would.
    const command = await page.getByRole('region', { name: 'command' }).innerText();
    const [, projectId = ''] = /"project_id": "([^"]+)"/.exec(command) ?? [];
    const [, apiKey = ''] = /x-api-key: (\S+)'/.exec(command) ?? [];
    const { id } = await pipeline(testEnv, { projectId, apiKey }).submit(aSubmission());
    await at(page, 2);
    await happened(page, 'First item');
    await row(page, 'Maths answers').getByRole('cell', { name: '1', exact: true }).waitFor();

    const me = await person(testEnv, wallet);
    const params = { id: projectId };
    const settings = { settings_version: 1, undo_window_seconds: 0, webhook_url: receiver.url };
    await me.call(changeProject, { params, body: settings });
    receiver.trust(projectId, (await me.call(rotateWebhookSecret, { params })).webhook_secret);
    await review(me, id, 'edit');
    await happened(page, 'First decision');
    await receiver.next(id);
    await happened(page, 'responded with 200');
    await at(page, 4);
    await page.getByText('You are all set').waitFor();
    expect(loads).toEqual([]);

    await page.getByRole('button', { name: 'Dismiss' }).click();
    await page.getByText('You are all set').waitFor({ state: 'detached' });
    await row(page, 'Maths answers').filter({ hasText: 'healthy' }).waitFor();
  });

  it('sorts by a column and filters by name, both in the URL, and no line moves on its own', async () => {
    const { testEnv, enter } = browserEnv();
    const me = await person(testEnv);
    const names = ['Alpha', 'Beta', 'Gamma', 'Delta', 'Epsilon', 'Zeta', 'Eta', 'Theta'];
    for (const name of names) await me.call(createProject, { body: aProject({ name }) });
    const busy = await openProject(me, { settings: { name: 'Busy' } });
    const page = await enter(me, '/projects');
    await row(page, 'Busy').waitFor();
    const order = async () => (await page.locator('tbody th a').allInnerTexts()).map((name) => name.trim());

    await page.getByRole('button', { name: 'Name' }).click();
    await page.waitForURL(/sort=name/);
    const sorted = [...names, 'Busy'].sort();
    await expect.poll(order).toEqual(sorted);
    await page.getByRole('button', { name: 'Waiting' }).click();
    await page.waitForURL(/sort=-waiting/);
    const waiting = page.getByRole('columnheader', { name: 'Waiting' });
    await expect.poll(() => waiting.getAttribute('aria-sort')).toBe('descending');

    // Figures change in place.
    const before = await order();
    await busy.pipeline.submit(aSubmission());
    await row(page, 'Busy').getByRole('cell', { name: '1', exact: true }).waitFor();
    expect(await order()).toEqual(before);

    await page.keyboard.press('/');
    await page.locator('input:focus').waitFor();
    await page.keyboard.type('eta');
    await page.waitForURL(/q=eta/);
    await row(page, 'Busy').waitFor({ state: 'detached' });
    expect((await order()).toSorted()).toEqual(['Beta', 'Eta', 'Theta', 'Zeta']);
    await page.reload();
    await row(page, 'Zeta').waitFor();
    expect(await order()).toHaveLength(4);
    await page.goBack();
    await row(page, 'Busy').waitFor();
  });

  it('the filter follows the URL: the link to all projects shows all', async () => {
    const { owner, project, enter } = browserEnv();
    const page = await enter(owner, '/projects?q=nothing');
    const field = page.getByRole('searchbox');
    await expect.poll(() => field.inputValue()).toBe('nothing');
    await page.getByRole('navigation').getByRole('link', { name: 'Projects' }).first().click();
    await row(page, project.project.name).waitFor();
    expect(await field.count()).toBe(0);
  });

  it('shows the people who hold claims, in the list and on the overview', async () => {
    const { testEnv, owner, project, enter } = browserEnv();
    const page = await enter(owner, '/projects');
    await row(page, project.project.name).filter({ hasText: 'nobody' }).waitFor();
    const anna = await person(testEnv);
    await join(project, anna);
    await project.pipeline.submit(aSubmission());
    await anna.call(claimNext, { body: { project_id: project.id } });
    const { address } = anna.wallet;
    const name = `${address.slice(0, 4)}…${address.slice(-4)}`;
    await row(page, project.project.name).getByTitle(name).waitFor();

    await page.getByRole('link', { name: project.project.name }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(project.id));
    await page.getByText('1 item, 1 reviewer').waitFor();
    await page.getByRole('listitem').filter({ hasText: name }).waitFor();
    await page.getByText('1 now (peak).').waitFor();
  });
});
