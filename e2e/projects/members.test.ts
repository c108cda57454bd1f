// Tests the reviewer pool in real browsers: join by invite link, change roles under open pages, remove members.
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { claimItem } from '@countersign/shared/routes/queue';
import { aSubmission, join } from '../../server/test/builders.ts';
import { makeWallet, person } from '../../server/test/client.ts';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { expectAccessible } from '../support/page-checks.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';

const chromium = await findChromium();

describe.skipIf(chromium === undefined)('the reviewer pool', () => {
  const browserEnv = useBrowserEnvironment();
  const people = () => `/projects/${browserEnv().project.id}/people`;

  async function asOwner(): Promise<Page> {
    const page = await browserEnv().enter(browserEnv().owner, people());
    await page.getByRole('heading', { name: 'Members', exact: true }).waitFor();
    return page;
  }

  it('PM3: lets a person sign in from an invite link first and return to it', async () => {
    const owner = await asOwner();
    await owner.getByRole('region', { name: 'Invite by link' }).getByLabel('Role').selectOption('Supervisor');
    await owner.getByRole('button', { name: 'Create link' }).click();
    const link = (await owner.getByRole('region', { name: 'Invite link' }).locator('code').textContent()) ?? '';
    const open = owner.getByRole('region', { name: 'Open invites' }).getByRole('listitem');
    await expect.poll(() => open.count()).toBe(1);

    const guest = await browserEnv().visit(makeWallet(), new URL(link).pathname);
    await guest.getByRole('button', { name: 'Test Wallet' }).click();
    await guest.waitForURL(link);
    await guest.getByRole('button', { name: 'Join project' }).click();
    await guest.getByText('You are a supervisor:').waitFor();
    await expect.poll(() => open.count()).toBe(0);
    await expect.poll(() => owner.getByRole('row').count()).toBe(3);
    await guest.getByRole('link', { name: 'Open project' }).click();
    await guest.waitForURL(`**/projects/${browserEnv().project.id}`);
    await guest
      .getByRole('tab', { name: 'People' })
      .or(guest.getByRole('link', { name: 'People' }))
      .click();
    await guest.getByRole('button', { name: 'Leave' }).waitFor();
    expect(await guest.getByRole('button', { name: 'Create link' }).count()).toBe(0);
  });

  it('PM1, PM2: lets an owner lower roles and remove members, after a confirmation', async () => {
    const { project, testEnv } = browserEnv();
    const member = await person(testEnv);
    await join(project, member, 'supervisor');
    const { id } = await project.pipeline.submit(aSubmission({ risk_flags: ['legal'] }));
    await member.call(claimItem, { params: { id } });

    const owner = await asOwner();
    const short = `${member.wallet.address.slice(0, 4)}…${member.wallet.address.slice(-4)}`;
    const row = owner.getByRole('row').filter({ hasText: short });
    await row.getByText('1 claimed item').waitFor();
    const own = owner.getByRole('row').filter({ has: owner.getByText('you', { exact: true }) });
    await own.waitFor();
    expect(await own.getByRole('button', { name: 'Leave' }).count()).toBe(0);
    expect(await own.getByRole('combobox').count()).toBe(0);

    const role = row.getByRole('combobox');
    await role.selectOption('Reviewer');
    const question = owner.getByRole('dialog');
    await question.getByText('Claimed escalated items return').waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => role.inputValue()).toBe('supervisor');
    await role.selectOption('Reviewer');
    await question.getByRole('button', { name: 'Make a reviewer' }).click();
    await owner.getByText(`${short} is now a reviewer.`).waitFor();
    await row.getByText('1 claimed item').waitFor({ state: 'detached' });

    await row.getByRole('button', { name: `Remove ${short}` }).click();
    await question.getByRole('button', { name: 'Remove' }).click();
    await owner.getByText(`Removed ${short}.`).waitFor();
    await expect.poll(() => row.count()).toBe(0);
  });

  it('PM4: lets people set their own name, and owners nobody’s', async () => {
    const { project, testEnv, enter, allowConsoleError } = browserEnv();
    // The name is rejected, and the browser logs the response.
    allowConsoleError(/422/);
    const member = await person(testEnv);
    await join(project, member);
    const owner = await asOwner();
    const short = `${member.wallet.address.slice(0, 4)}…${member.wallet.address.slice(-4)}`;
    const row = owner.getByRole('row').filter({ hasText: short });
    await row.getByText('no name').waitFor();
    expect(await row.getByRole('button', { name: /Change the name/ }).count()).toBe(0);

    const page = await enter(member, people());
    await page.getByRole('button', { name: `Change the name of ${short}` }).click();
    const question = page.getByRole('dialog');
    await question.getByLabel('Name').fill('Nell\u202eyllO');
    await question.getByRole('button', { name: 'Save' }).click();
    await question.getByText('visible characters').waitFor();
    await question.getByLabel('Name').fill('Nell');
    await question.getByRole('button', { name: 'Save' }).click();
    await row.getByText('Nell', { exact: true }).waitFor();

    // PF1: the name leads to the page of the person.
    await row.getByRole('link', { name: 'Nell' }).click();
    await owner.getByRole('heading', { name: 'Nell', exact: true }).waitFor();
    await owner.getByText('no decision in this time').waitFor();
    await expectAccessible(owner);
    await owner.getByRole('link', { name: 'All members' }).click();
    await row.waitFor();
  });
});
