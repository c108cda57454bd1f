// Tests the account page in a real browser: display name, offers, and refused wallets.
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { listMembers } from '@countersign/shared/routes/projects';
import { join, offerTo, openProject } from '../../server/test/builders.ts';
import { person } from '../../server/test/client.ts';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';
import { checkAppearances, ONCE_EACH } from '../support/page-checks.ts';

const chromium = await findChromium();

describe.skipIf(chromium === undefined)('the account page', () => {
  const browserEnv = useBrowserEnvironment();
  const offered = (page: Page) => page.getByRole('region', { name: 'Membership offers' });

  it('PM4: sets a display name outside any project, and shows it in each project', async () => {
    const { testEnv, project, owner, enter } = browserEnv();
    const member = await person(testEnv);
    await join(project, member);
    const page = await enter(member, '/projects');
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('link', { name: 'Name, offers and notifications' }).click();
    const section = page.getByRole('region', { name: 'Your name' });
    await section.getByLabel('Name').fill('Nell Tree');
    await section.getByRole('button', { name: 'Save' }).click();
    await section.getByText('Your name is now Nell Tree.').waitFor();
    await page.getByRole('button', { name: 'Account: Nell Tree' }).waitFor();
    const { data } = await owner.call(listMembers, { params: { id: project.id } });
    expect(data.map(({ name }) => name)).toContain('Nell Tree');
  });

  it('PM9: refuses a wallet that sends too many offers in one step, and allows it again', async () => {
    const { testEnv, enter } = browserEnv();
    const [guest, spammer, friend] = [await person(testEnv), await person(testEnv), await person(testEnv)];
    for (let n = 0; n < 3; n += 1) await offerTo(await openProject(spammer), guest.wallet.address);
    const honest = await openProject(friend);
    await offerTo(honest, guest.wallet.address);
    const page = await enter(guest, '/account');
    const rows = offered(page).getByRole('listitem');
    await expect.poll(() => rows.count()).toBe(4);
    await checkAppearances(page, 'account-offers', ONCE_EACH);
    await rows
      .last()
      .getByRole('button', { name: /^Decline all from this wallet/ })
      .click();
    await expect.poll(() => rows.count()).toBe(1);
    await offered(page).getByText(honest.project.name).waitFor();
    const refused = page.getByRole('region', { name: 'Declined wallets' });
    await refused.getByText(spammer.wallet.address).waitFor();
    await checkAppearances(page, 'account-refused', ONCE_EACH);
    // The page shows nothing from that wallet until it is allowed again.
    await offerTo(await openProject(spammer), guest.wallet.address);
    await page.reload();
    await expect.poll(() => rows.count()).toBe(1);
    await refused.getByRole('button', { name: /^Allow again/ }).click();
    await expect.poll(() => rows.count()).toBe(2);
    await refused.waitFor({ state: 'detached' });
  });

  it('PM5: shows offers with the first paint, without a later layout shift', async () => {
    const { testEnv, project, enter } = browserEnv();
    const guest = await person(testEnv);
    await offerTo(project, guest.wallet.address);
    const page = await enter(guest, '/sessions');
    await page.addInitScript(() => {
      const seen: boolean[] = [];
      Object.assign(window, { seen });
      const sampleFrame = () => {
        // Records each paint: whether the page shows its bars, and whether it shows the offer.
        if (document.querySelector('nav[aria-label="Main navigation"]'))
          seen.push(document.querySelector('section[aria-label="Membership offers"]') !== null);
        requestAnimationFrame(sampleFrame);
      };
      requestAnimationFrame(sampleFrame);
    });
    await page.goto(new URL('/projects', page.url()).href);
    await page.getByRole('heading', { name: 'You are not in a project yet' }).waitFor();
    await offered(page).waitFor();
    const seen = await page.evaluate(() => (window as unknown as { seen: boolean[] }).seen);
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.filter((there) => !there)).toEqual([]);
  });
});
