// Tests the project settings in two browsers: concurrent edits by two owners, and the guidelines notice for reviewers.
import type { Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { listGuidelinesNews } from '@countersign/shared/routes/guidelines';
import { changeProject, readProject } from '@countersign/shared/routes/projects';
import type { ProjectSettings } from '@countersign/shared/settings';
import { aSubmission, join, openProject } from '../../server/test/builders.ts';
import { type Person, person } from '../../server/test/client.ts';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';
import { checkAppearances, ONCE_EACH, PHONE } from '../support/page-checks.ts';
import { recordShifts, shiftsOf } from '../support/layout-shifts.ts';
import { responseReceived } from '../support/received.ts';

const chromium = await findChromium();
const GUIDELINES = 'Returns within 30 days.\n\nGreet by first name.\n\nNever promise a date.';

describe.skipIf(chromium === undefined)('the settings of a project', () => {
  const browserEnv = useBrowserEnvironment();
  const project = () => browserEnv().owner.call(readProject, { params: { id: browserEnv().project.id } });
  const at = (tab: string) => `/projects/${browserEnv().project.id}/${tab}`;

  /** Saves as an owner, through the API. */
  async function save(changes: Partial<ProjectSettings>): Promise<void> {
    const { id, settings_version } = await project();
    await browserEnv().owner.call(changeProject, { params: { id }, body: { settings_version, ...changes } });
  }

  async function open(who: Person, path: string): Promise<Page> {
    const page = await browserEnv().enter(who, path);
    // The browser asks whether to leave; the test confirms.
    page.on('dialog', (dialog) => void dialog.accept());
    await page.getByRole('navigation').first().waitFor();
    return page;
  }

  const switchTo = (page: Page, tab: string) =>
    page.getByRole('navigation', { name: 'Project sections' }).getByRole('link', { name: tab }).click();
  const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent?.trim());
  const saveButton = (page: Page) => page.getByRole('button', { name: /^Save as/ });
  const choose = (page: Page, field: string, label: string) =>
    page
      .getByRole('group', { name: `Value for ${field}` })
      .getByText(label)
      .click();
  async function addReason(page: Page, reason: string): Promise<void> {
    await page.getByLabel('New reason').fill(reason);
    await page.getByLabel('New reason').press('Enter');
  }
  async function write(page: Page, change: (text: string) => string): Promise<void> {
    await switchTo(page, 'Guidelines');
    const editor = page.getByLabel('Guidelines', { exact: true });
    await editor.fill(change(await editor.inputValue()));
  }

  let second: Person;
  beforeAll(async () => {
    second = await person(browserEnv().testEnv);
    await join(browserEnv().project, second, 'owner');
    await save({ guidelines: GUIDELINES, reasons: ['Wrong fact', 'Other'] });
  });

  it('ST1: asks about what both changed, merges what one changed, and keeps everything over a reload in the middle', async () => {
    const [mine, theirs] = await Promise.all([open(browserEnv().owner, at('rules')), open(second, at('rules'))]);
    await mine.getByLabel('Auto-approve from').last().fill('0.85');
    await mine.getByLabel('Decision target').fill('30');
    await addReason(mine, 'Mine');
    await write(mine, (text) => text.replace('30 days', '28 days').replace('a date', 'a day'));

    await theirs.getByLabel('Auto-approve from').last().fill('0.90');
    await theirs.getByLabel('Undo window').fill('9');
    await addReason(theirs, 'Theirs');
    await write(theirs, (text) => text.replace('30 days', '14 days').replace('first name', 'last name'));
    await saveButton(theirs).click();
    await saveButton(theirs).waitFor({ state: 'detached' });

    await mine.getByText('You both changed 3 settings').waitFor();
    expect(await saveButton(mine).isDisabled()).toBe(true);
    await choose(mine, 'auto-approve from', 'Keep mine');
    const asked = mine.waitForEvent('dialog');
    await mine.reload();
    expect((await asked).type()).toBe('beforeunload');
    await mine.getByText('You both changed 3 settings').waitFor();
    await checkAppearances(mine, 'settings', ONCE_EACH);
    await mine.getByText('2 conflicts left').waitFor();
    await choose(mine, 'reasons', 'Take both');
    await choose(mine, 'guidelines', 'Take both');
    await mine.getByText('Fix before saving: guidelines').waitFor();
    await mine.getByRole('group', { name: 'Conflict 1 of 1' }).getByRole('button', { name: 'Theirs' }).click();
    await saveButton(mine).click();
    await saveButton(mine).waitFor({ state: 'detached' });

    expect(await project()).toMatchObject({
      auto_threshold: 0.85,
      target_minutes: 30,
      undo_window_seconds: 9,
      reasons: ['Wrong fact', 'Other', 'Theirs', 'Mine'],
      guidelines: 'Returns within 14 days.\n\nGreet by last name.\n\nNever promise a day.',
    });
    // The other page, which has no unsaved changes, shows the saved values.
    await expect.poll(() => theirs.getByLabel('Guidelines', { exact: true }).inputValue()).toContain('a day');
  });

  /** Holds the first save of each page until both are under way; returns their response statuses in order. */
  async function saveAtOnce(pages: Page[]): Promise<number[]> {
    const statuses: number[] = [];
    const { promise: all, resolve } = Promise.withResolvers<undefined>();
    let missing = pages.length;
    for (const page of pages) {
      // The browser logs the conflict response on its console; the page is not at fault.
      page.removeAllListeners('console');
      await page.route('**/api/projects/*', async (route) => {
        const saving = route.request().method() === 'PATCH';
        if (saving && (missing -= 1) === 0) resolve(undefined);
        if (saving) await all;
        await route.continue();
      });
      page.on('response', (response) => {
        if (response.request().method() === 'PATCH') statuses.push(response.status());
      });
    }
    await Promise.all(pages.map((page) => saveButton(page).click()));
    await expect.poll(() => statuses.length).toBe(pages.length);
    return statuses;
  }

  it('ST1: refuses one of two simultaneous saves, and neither person loses a field', async () => {
    const pages = await Promise.all([open(browserEnv().owner, at('rules')), open(second, at('rules'))]);
    const [one, other] = pages;
    await one.getByLabel('Review from').last().fill('0.55');
    await other.getByLabel('Claim duration').fill('300');
    expect((await saveAtOnce(pages)).sort()).toEqual([200, 409]);

    // The page that got the conflict has the other's field now, and its own change is still unsaved.
    await expect.poll(async () => (await saveButton(one).count()) + (await saveButton(other).count())).toBe(1);
    const refused = (await saveButton(one).count()) === 1 ? one : other;
    await refused.getByText('Someone else saved this project.').waitFor();
    await saveButton(refused).click();
    await saveButton(refused).waitFor({ state: 'detached' });
    expect(await project()).toMatchObject({ review_threshold: 0.55, claim_lease_seconds: 300 });
  });

  it('ST1: tells a person who leaves that their unsaved changes are stored, and restores them later', async () => {
    const page = await open(browserEnv().owner, at('rules'));
    await page.getByLabel('Decision target').fill('45');
    await switchTo(page, 'Guidelines');
    await page.getByRole('heading', { name: 'Preview' }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.getByRole('link', { name: /Queue/ }).click();
    const question = page.getByRole('dialog', { name: 'Leave with unsaved changes?' });
    await question.getByRole('button', { name: 'Stay' }).click();
    expect(new URL(page.url()).pathname).toBe(at('guidelines'));
    await page.getByRole('link', { name: /Queue/ }).click();
    await question.getByRole('button', { name: /^Leave/ }).click();
    await page.waitForURL('**/queue');
    await page.goBack();
    await page.getByText('45 min').waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
  });

  it('keeps a key that is shown once on its tab until it is confirmed, and asks before leaving', async () => {
    const page = await open(browserEnv().owner, at('keys'));
    await page.getByRole('button', { name: 'Create key' }).click();
    const shown = page.getByRole('region', { name: 'New API key' });
    await shown.waitFor();
    await switchTo(page, 'Rules');
    await page.getByLabel('Decision target').waitFor();
    await switchTo(page, 'API keys');
    await shown.waitFor();
    await page.getByRole('link', { name: /Queue/ }).click();
    const question = page.getByRole('dialog', { name: 'Leave without copying the secret?' });
    await question.getByText('on API keys').waitFor();
    await question.getByRole('button', { name: 'Stay' }).click();
    await shown.getByRole('button', { name: 'Done' }).click();
    await expect.poll(() => focused(page)).toBe('API keys');
    await page.getByRole('link', { name: /Queue/ }).click();
    await page.waitForURL('**/queue');
  });

  it('shows that the browser refused to copy a key, selects it, and asks before it goes', async () => {
    const page = await open(browserEnv().owner, at('keys'));
    await page.evaluate(() =>
      Object.defineProperty(navigator.clipboard, 'writeText', { value: () => Promise.reject(new Error('No')) }),
    );
    await page.getByRole('button', { name: 'Create key' }).click();
    const shown = page.getByRole('region', { name: 'New API key' });
    await shown.getByRole('button', { name: 'Copy', exact: true }).first().click();
    await shown.getByText("Couldn't copy. The text is selected").waitFor();
    const secret = await shown.locator('code').first().textContent();
    expect(await page.evaluate(() => getSelection()?.toString())).toBe(secret);
    await checkAppearances(page, 'copy-refused', ONCE_EACH);
    await shown.getByRole('button', { name: 'Done' }).click();
    const question = page.getByRole('dialog', { name: 'Continue without a copy?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'hidden' });
    await shown.getByRole('button', { name: 'Done' }).click();
    await question.getByRole('button', { name: 'Continue' }).click();
    await shown.waitFor({ state: 'hidden' });
    await expect.poll(() => focused(page)).toBe('API keys');
  });

  it('keeps an invite link on its tab, and asks before a form of a tab is lost with the page', async () => {
    const page = await open(browserEnv().owner, at('people'));
    const queueLink = page.getByRole('link', { name: /Queue/ });
    await page.getByRole('button', { name: 'Create link' }).click();
    const invite = page.getByRole('region', { name: 'Invite link' });
    await invite.waitFor();
    await switchTo(page, 'Webhook');
    await page.getByRole('button', { name: 'Add endpoint' }).click();
    await switchTo(page, 'People');
    await invite.waitFor();
    await queueLink.click();
    const secret = page.getByRole('dialog', { name: 'Leave without copying the secret?' });
    await secret.getByText('on People').waitFor();
    await secret.getByRole('button', { name: 'Stay' }).click();
    await invite.getByRole('button', { name: 'Done' }).click();
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('invite');
    await switchTo(page, 'Webhook');
    await page.getByLabel('URL', { exact: true }).fill('https://example.com/hook');
    await queueLink.click();
    const question = page.getByRole('dialog', { name: 'Leave with unsaved changes?' });
    await question.getByText('The open form on Webhook').waitFor();
    await question.getByRole('button', { name: 'Leave anyway' }).click();
    await page.waitForURL('**/queue');
  });

  it('QU3: keeps a typed name of a key on its tab, and asks before it is lost with the project or by a sign-out', async () => {
    // With a session of its own, which ends here.
    const owner = await person(browserEnv().testEnv, browserEnv().owner.wallet);
    const page = await open(owner, at('keys'));
    const name = page.getByLabel('Name', { exact: true }).first();
    await name.fill('nightly import');
    await switchTo(page, 'Rules');
    await page.getByLabel('Decision target').waitFor();
    await switchTo(page, 'API keys');
    await expect.poll(() => name.inputValue()).toBe('nightly import');
    const question = page.getByRole('dialog', { name: 'Leave with unsaved changes?' });
    await page.getByRole('link', { name: /Queue/ }).click();
    await question.getByText('The open form on API keys').waitFor();
    await question.getByRole('button', { name: 'Stay' }).click();
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    const signOut = page.getByRole('dialog', { name: 'Sign out with unsaved changes?' });
    await signOut.getByRole('button', { name: 'Stay' }).click();
    // Keys are the dialog's until it is gone.
    await signOut.waitFor({ state: 'detached' });
    expect(await name.inputValue()).toBe('nightly import');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('sign out');
    await page.getByRole('option', { name: 'Sign out' }).click();
    await signOut.getByRole('button', { name: 'Sign out anyway' }).click();
    await page.getByRole('heading', { name: 'Sign in with your wallet' }).waitFor();
  });

  it('moves nothing on a phone when the keys come after the sources below them', async () => {
    const page = await open(browserEnv().owner, '/account');
    await page.setViewportSize(PHONE);
    await recordShifts(page);
    const keys = Promise.withResolvers<void>();
    await page.route('**/api-keys', async (route) => {
      await keys.promise;
      await route.continue();
    });
    await page.goto(new URL(at('keys'), page.url()).href);
    await responseReceived(page, `/api/projects/${browserEnv().project.id}/inbound-sources`);
    expect(await shiftsOf(page)).toEqual([]);
    keys.resolve();
    await page
      .getByRole('button', { name: /^Revoke/ })
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Add source' }).waitFor();
    expect(await shiftsOf(page)).toEqual([]);
  });

  it('AR1, AR2: keeps the keyboard working after archiving and restoring, and asks nothing in a deleted project', async () => {
    const { id } = await openProject(browserEnv().owner, { settings: { name: 'Gone soon' } });
    const page = await open(browserEnv().owner, `/projects/${id}/rules`);
    browserEnv().allowConsoleError(/status of 404/);
    await page.getByLabel('Decision target').fill('45');
    await switchTo(page, 'Archive & delete');
    await page.getByRole('button', { name: 'Archive the project' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Archive', exact: true }).click();
    await expect.poll(() => focused(page)).toBe('Restore the project');
    await page.getByRole('status').filter({ hasText: 'The project is archived.' }).waitFor({ state: 'attached' });
    await page.getByRole('main').getByRole('button', { name: 'Restore' }).last().click();
    await expect.poll(() => focused(page)).toBe('Archive the project');
    await saveButton(page).waitFor();
    await page.getByRole('button', { name: 'Delete the project' }).click();
    await page.getByLabel('Type the project name').fill('Gone soon');
    await page.getByRole('button', { name: 'Delete permanently' }).click();
    await page.getByText('“Gone soon” is deleted.').waitFor();
    expect(new URL(page.url()).pathname).toBe('/projects');
  });

  it('assigns the digit keys of the queue in the order of the reasons', async () => {
    await save({ reasons: ['Wrong fact', 'Policy', 'Other'], undo_window_seconds: 0 });
    const page = await open(browserEnv().owner, at('rules'));
    await page.getByRole('button', { name: 'Move “Policy” up' }).click();
    await saveButton(page).click();
    await saveButton(page).waitFor({ state: 'detached' });
    const { id } = await browserEnv().project.pipeline.submit(
      aSubmission({ input: { question: 'Which digit is it?' } }),
    );
    await page.goto(new URL('/queue', page.url()).href);
    await page.getByRole('row').filter({ hasText: 'Which digit is it?' }).click();
    const chips = page
      .getByRole('group', { name: 'Why' })
      .getByRole('button')
      .filter({ has: page.locator('kbd') });
    await expect.poll(() => chips.allInnerTexts()).toEqual(['1\nPolicy', '2\nWrong fact', '3\nOther']);
    // An action works only after the item was seen (QU2).
    await page.locator('[data-actions-enabled=true]').waitFor();
    await page.keyboard.press('r');
    await page.keyboard.press('1');
    await expect.poll(async () => (await browserEnv().project.pipeline.read(id)).decision?.reason).toBe('Policy');
  });

  it('GL1: shows a reviewer once what changed, and moves nothing on the page', async () => {
    const reviewer = await person(browserEnv().testEnv);
    await save({ guidelines: GUIDELINES });
    await join(browserEnv().project, reviewer);
    await browserEnv().project.pipeline.submit(aSubmission({ input: { question: 'Does it stay where it is?' } }));
    const page = await open(reviewer, '/queue');
    const row = page.getByRole('row').filter({ hasText: 'Does it stay where it is?' });
    await row.waitFor();
    await row.focus();
    const told = page.getByText(/ guidelines updated \(2 lines\)$/);
    const place = await row.boundingBox();
    await save({
      guidelines: `${GUIDELINES.replace('30 days', '90 days')}\n\nSay thank you.`,
    });
    await told.waitFor();
    await checkAppearances(page, 'guidelines-news', ONCE_EACH);
    expect(await row.boundingBox()).toEqual(place);
    expect(await row.evaluate((element) => element === document.activeElement)).toBe(true);

    const another = await page.context().newPage();
    await another.goto(new URL('/queue', page.url()).href);
    await another.getByText(/ guidelines updated/).waitFor();
    await another.close();

    await page.getByRole('button', { name: 'Show changes' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Say thank you.').waitFor();
    await dialog.getByRole('button', { name: 'Got it' }).click();
    await told.waitFor({ state: 'detached' });
    // The keys keep working on the page.
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('page');
    await page.reload();
    await responseReceived(page, listGuidelinesNews.path);
    expect((await reviewer.call(listGuidelinesNews)).data).toEqual([]);
    await row.waitFor();
    expect(await page.getByText(/ guidelines updated/).count()).toBe(0);
  });
});
