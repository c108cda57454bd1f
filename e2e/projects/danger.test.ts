// Tests archiving, restoring and deleting a project in real browsers: the confirmation, and what the other members see.
import type { Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { archiveProject } from '@countersign/shared/routes/lifecycle';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { aSubmission, join, openProject, review, type OpenProject } from '../../server/test/builders.ts';
import { person, type Person } from '../../server/test/client.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';
import { expectAccessible } from '../support/page-checks.ts';
import { watchForText } from '../support/transient-text.ts';

const chromium = await findChromium();

describe.skipIf(chromium === undefined)('the danger tab', () => {
  const browserEnv = useBrowserEnvironment();
  let project: OpenProject;
  let reviewer: Person;
  let owner: Page;
  let member: Page;

  const head = (page: Page) => page.getByRole('heading', { level: 1 });
  const dialog = () => owner.getByRole('dialog');

  beforeAll(async () => {
    const { testEnv, enter, owner: first } = browserEnv();
    reviewer = await person(testEnv);
    project = await openProject(first, { settings: { name: 'Refunds  "east"' } });
    await join(project, reviewer);
    for (const action of ['approve', 'reject'] as const)
      await review(first, (await project.pipeline.submit(aSubmission())).id, action);
    await project.pipeline.submit(aSubmission({ input: { question: 'Waits for a person' } }));
    owner = await enter(first, `/projects/${project.id}/danger`);
    member = await enter(reviewer, `/queue?project=${project.id}`);
    await member.getByText('Waits for a person').first().waitFor();
  });

  it('AR1: explains what archiving does, asks for confirmation, and archives for every open page', async () => {
    await owner.getByText('1 item waiting for review').waitFor();
    await owner.getByText('3 items, 1 waiting for review, 2 decisions and 1 learning').waitFor();
    await expectAccessible(owner);
    const left = await watchForText(member, 'No longer in the queue');
    await owner.getByRole('button', { name: 'Archive the project' }).click();
    await dialog().getByText('1 item waiting for review').waitFor();
    await dialog().getByRole('button', { name: 'Archive', exact: true }).click();
    await owner.getByRole('region', { name: 'Archived project' }).waitFor();
    await owner.getByRole('heading', { name: 'Restore the project' }).waitFor();
    await left();
    await expectAccessible(owner);
    expect(await owner.getByRole('link', { name: 'API keys', exact: true }).count()).toBe(1);
    expect(await owner.getByRole('link', { name: 'Webhook', exact: true }).count()).toBe(0);
  });

  it('AR1: offers no new keys in an archived project, and still lets owners revoke existing ones', async () => {
    await owner.getByRole('link', { name: 'API keys', exact: true }).click();
    await owner.getByRole('button', { name: /^Revoke/ }).waitFor();
    expect(await owner.getByRole('button', { name: /^(Make|Add)/ }).count()).toBe(0);
    await owner.getByRole('link', { name: 'People', exact: true }).click();
    await owner.getByRole('button', { name: /^Remove/ }).waitFor();
    expect(await owner.getByRole('button', { name: 'Create link' }).count()).toBe(0);
    expect(await owner.getByRole('main').getByRole('combobox').count()).toBe(0);
  });

  it('AR1: lists an archived project last, and restores it from its banner', async () => {
    await member.goto(new URL('/projects', member.url()).href);
    await member.getByText('Archived projects (1)').click();
    await expectAccessible(member);
    await member.getByRole('link', { name: 'Refunds "east"' }).click();
    const banner = member.getByRole('region', { name: 'Archived project' });
    await banner.waitFor();
    expect(await banner.getByRole('button').count()).toBe(0);
    await owner.getByRole('region', { name: 'Archived project' }).getByRole('button', { name: 'Restore' }).click();
    await banner.waitFor({ state: 'detached' });
    await owner.getByRole('button', { name: 'Create link' }).waitFor();
  });

  it('AR2: deletes a project only by its name, and removes it from every open page', async () => {
    await owner.getByRole('link', { name: 'Archive & delete', exact: true }).click();
    const open = owner.getByRole('button', { name: 'Delete the project' });
    await open.click();
    const field = dialog().getByLabel('Type the project name');
    const deleteButton = dialog().getByRole('button', { name: 'Delete permanently' });
    await expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true);
    for (const wrong of ['', 'refunds  "east"', 'Refunds']) {
      await field.fill(wrong);
      expect(await deleteButton.isDisabled()).toBe(true);
      await field.press('Enter');
    }
    await expectAccessible(owner);
    await owner.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await expect.poll(() => open.evaluate((element) => element === document.activeElement)).toBe(true);
    await open.click();
    expect(await field.inputValue()).toBe('');
    // Open pages of the project load once more and find that it is deleted.
    browserEnv().allowConsoleError(/status of 404/);
    await field.fill(' Refunds  "east" ');
    await field.press('Enter');
    await owner.getByText('“Refunds  "east"” is deleted.').waitFor();
    expect(new URL(owner.url()).pathname).toBe('/projects');
    await owner.getByRole('link', { name: 'Refunds "east"' }).waitFor({ state: 'detached' });
    await head(member).filter({ hasText: 'This project is no longer available' }).waitFor();
    await owner.reload();
    await owner.getByRole('heading', { name: 'Projects' }).waitFor();
    expect(await owner.getByText('is deleted.').count()).toBe(0);
  });

  it('says so when another person was first', async () => {
    const { owner: first } = browserEnv();
    const other = await openProject(first);
    await owner.goto(new URL(`/projects/${other.id}/danger`, owner.url()).href);
    await owner.getByRole('button', { name: 'Archive the project' }).waitFor();
    await first.call(archiveProject, { params: { id: other.id } });
    await owner.getByRole('heading', { name: 'Restore the project' }).waitFor();
  });
});
