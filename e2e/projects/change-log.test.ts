// Tests the change log in a browser: live entries, the filter in the URL, guidelines diffs, hostile names as text.
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { changeProject, createApiKey } from '@countersign/shared/routes/projects';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';

const chromium = await findChromium();

describe.skipIf(chromium === undefined)('the change log', () => {
  const browserEnv = useBrowserEnvironment();
  const params = () => ({ id: browserEnv().project.id });
  const rows = (page: Page) => page.locator('tbody tr');
  let version = 1;
  const changeTarget = (target_minutes: number, guidelines?: string) =>
    browserEnv().owner.call(changeProject, {
      params: params(),
      body: { settings_version: version++, target_minutes, ...(guidelines === undefined ? {} : { guidelines }) },
    });

  it('CL1: shows live who changed what, with the old and the new value', async () => {
    const page = await browserEnv().enter(browserEnv().owner, `/projects/${browserEnv().project.id}/changes`);
    await rows(page).filter({ hasText: 'created the project' }).waitFor();
    const before = await rows(page).count();

    await changeTarget(30, 'Be kind.\nBe thorough.');
    const first = rows(page).first();
    await first.getByText('v2', { exact: true }).waitFor();
    expect(await first.locator('del').allTextContents()).toEqual(['60 min']);
    expect(await first.locator('ins').allTextContents()).toEqual(['30 min', 'edited']);
    await first.getByRole('button', { name: 'Compare guidelines' }).press('Enter');
    await first.getByText('Be thorough.').waitFor();

    const hostile = '<img src=x onerror=alert(1)>\u202Egnp.exe';
    await browserEnv().owner.call(createApiKey, { params: params(), body: { name: hostile } });
    await first.getByText('created the API key').waitFor();
    expect(await first.locator('img').count()).toBe(0);
    await first.locator('[title^="U+202E"]').first().waitFor();
    expect(await rows(page).count()).toBe(before + 2);

    await page.getByRole('combobox', { name: 'Kind of change' }).selectOption('API keys');
    await page.waitForURL('**/changes?kind=key');
    await expect.poll(() => rows(page).filter({ hasNotText: 'key' }).count()).toBe(0);
    await browserEnv().owner.call(createApiKey, { params: params(), body: { name: 'Nightly' } });
    await rows(page).filter({ hasText: 'Nightly' }).waitFor();
    await changeTarget(31);
    await page.goBack();
    await rows(page).getByText('v3', { exact: true }).waitFor();
    await page.getByRole('combobox', { name: 'Kind of change' }).selectOption('Inbound sources');
    await page.getByRole('button', { name: 'Show all changes' }).click();
    await rows(page).getByText('v3', { exact: true }).waitFor();
  });

  it('CL1: pages back to the first entry', async () => {
    for (let target = 100; target < 160; target += 1) await changeTarget(target);
    const page = await browserEnv().enter(browserEnv().owner, `/projects/${browserEnv().project.id}/changes`);
    await rows(page).first().waitFor();
    expect(await rows(page).count()).toBe(50);
    await page.getByRole('button', { name: 'Show older' }).click();
    await page.getByText('Start of the log').waitFor();
    expect(await rows(page).last().textContent()).toContain('created the project');
    const notes = await rows(page).locator('td:last-child p').allTextContents();
    expect(new Set(notes.filter((text) => text.includes('settings to'))).size).toBe(version - 1);
  });
});
