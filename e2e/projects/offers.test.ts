// Tests offers in real browsers: offer a role to a wallet, which sees it at once and accepts, declines or loses it.
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { addMember, createProject, listMembers } from '@countersign/shared/routes/projects';
import { join, offerTo, openProject } from '../../server/test/builders.ts';
import { makeWallet, person } from '../../server/test/client.ts';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';
import { checkAppearances, ONCE_EACH } from '../support/page-checks.ts';

const chromium = await findChromium();
const short = (address: string) => `${address.slice(0, 4)}…${address.slice(-4)}`;

describe.skipIf(chromium === undefined)('PM5: offers', () => {
  const browserEnv = useBrowserEnvironment();

  async function asOwner(): Promise<Page> {
    const page = await browserEnv().enter(browserEnv().owner, `/projects/${browserEnv().project.id}/people`);
    await page.getByRole('heading', { name: 'Members', exact: true }).waitFor();
    return page;
  }
  const offered = (page: Page) => page.getByRole('region', { name: 'Membership offers' });
  const openOffers = (page: Page) => page.getByRole('region', { name: 'Open offers' }).getByRole('listitem');
  const members = async () =>
    (await browserEnv().owner.call(listMembers, { params: { id: browserEnv().project.id } })).data;

  it('an owner offers a membership to a wallet, whose page shows it at once; accepting adds the person', async () => {
    const { testEnv, enter, project, owner } = browserEnv();
    const guest = await person(testEnv);
    const page = await enter(guest, '/projects');
    await page.getByRole('heading', { name: 'You are not in a project yet' }).waitFor();

    const form = await asOwner();
    const section = form.getByRole('region', { name: 'Offer membership' });
    await section.getByLabel('Wallet address').fill(guest.wallet.address);
    await section.getByLabel('Role').selectOption('Supervisor');
    await section.getByRole('button', { name: 'Offer membership' }).click();
    await section.getByText(`Membership offered to ${short(guest.wallet.address)}`).waitFor();
    await expect.poll(() => openOffers(form).count()).toBe(1);
    expect((await members()).map(({ user_id }) => user_id)).not.toContain(guest.id);

    const strip = offered(page);
    await strip.getByText('offers you a membership as supervisor in').waitFor();
    for (const text of [project.project.name, owner.wallet.address]) await strip.getByText(text).waitFor();
    await checkAppearances(page, 'offers-strip', ONCE_EACH);
    await checkAppearances(form, 'offers-open', ONCE_EACH);
    // By keyboard alone.
    await strip.getByRole('button', { name: /^Accept/ }).focus();
    await page.keyboard.press('Enter');
    await page.getByText(`You're now a supervisor in ${project.project.name}.`).waitFor();
    await page.getByRole('link', { name: 'Open project' }).click();
    await page.waitForURL(`**/projects/${project.id}`);
    await expect.poll(() => openOffers(form).count()).toBe(0);
    await form
      .getByRole('row')
      .filter({ hasText: short(guest.wallet.address) })
      .waitFor();
  });

  it('a person who signs in finds an offer made meanwhile, and may decline it', async () => {
    const wallet = makeWallet();
    await offerTo(browserEnv().project, wallet.address);
    const page = await browserEnv().visit(wallet, '/');
    await page.getByRole('button', { name: 'Test Wallet' }).click();
    await offered(page)
      .getByRole('button', { name: /^Decline/ })
      .click();
    await offered(page).waitFor({ state: 'detached' });
    expect((await members()).map(({ address }) => address)).not.toContain(wallet.address);
    await page.getByRole('heading', { name: 'You are not in a project yet' }).waitFor();
  });

  it('PM8: a member who is to become an owner stays a reviewer until they accept', async () => {
    const { testEnv, enter, project } = browserEnv();
    const member = await person(testEnv);
    await join(project, member);
    const owner = await asOwner();
    const row = owner.getByRole('row').filter({ hasText: short(member.wallet.address) });
    await row.getByRole('combobox').selectOption('Owner');
    await owner.getByText(/was asked to become an owner and stays a reviewer/).waitFor();
    await row.getByText('asked to become an owner', { exact: true }).waitFor();
    expect(await row.getByRole('combobox').inputValue()).toBe('reviewer');
    await checkAppearances(owner, 'offers-owner-asked', ONCE_EACH);

    const page = await enter(member, '/projects');
    await offered(page).getByText("You're already a reviewer there, and stay one if you decline.").waitFor();
    await checkAppearances(page, 'offers-to-own', ONCE_EACH);
    await offered(page)
      .getByRole('button', { name: /^Accept/ })
      .click();
    await page.getByText(`You're now an owner in ${project.project.name}.`).waitFor();
    await expect.poll(() => row.getByRole('combobox').inputValue()).toBe('owner');
  });

  it('an owner revokes an offer, which disappears from the page that shows it', async () => {
    const guest = await person(browserEnv().testEnv);
    const page = await browserEnv().enter(guest, '/projects');
    await offerTo(browserEnv().project, guest.wallet.address);
    await offered(page).waitFor();
    const owner = await asOwner();
    await owner.getByRole('button', { name: `Revoke the offer as Reviewer to ${short(guest.wallet.address)}` }).click();
    await offered(page).waitFor({ state: 'detached' });
    await expect.poll(() => openOffers(owner).count()).toBe(0);
  });

  it('QU1: an offer moves no line in the queue: the top bar announces it', async () => {
    const guest = await person(browserEnv().testEnv);
    await guest.call(createProject, { body: { name: 'Own' } });
    const page = await browserEnv().enter(guest, '/queue');
    await offerTo(browserEnv().project, guest.wallet.address);
    const link = page.getByRole('link', { name: '1 offer' });
    await link.waitFor();
    await checkAppearances(page, 'offers-queue', ONCE_EACH);
    expect(await offered(page).count()).toBe(0);
    await link.click();
    await offered(page)
      .getByRole('button', { name: /^Accept/ })
      .waitFor();
  });

  it('PM6: people who allow it are added at once by people they work with', async () => {
    const { testEnv, enter } = browserEnv();
    const guest = await person(testEnv);
    const other = await openProject(browserEnv().owner);
    const page = await enter(guest, '/account');
    const box = page.getByRole('checkbox', { name: /may add me to their projects directly/ });
    await box.check();
    await page.getByText('may add you directly.').waitFor();
    const add = (id: string) =>
      browserEnv().owner.call(addMember, { params: { id }, body: { address: guest.wallet.address, role: 'reviewer' } });
    expect(await add(other.id)).toMatchObject({ kind: 'offer' });
    await offered(page)
      .getByRole('button', { name: /^Accept/ })
      .click();
    await page.getByText(`You're now a reviewer in ${other.project.name}.`).waitFor();
    expect(await add(browserEnv().project.id)).toMatchObject({ kind: 'member', user_id: guest.id });
    await page.reload();
    expect(await box.isChecked()).toBe(true);
    await checkAppearances(page, 'offers-account', ONCE_EACH);
  });
});
