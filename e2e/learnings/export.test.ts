// Tests the export of learnings in a real browser: the file matches the preview, in both themes, wide and on a phone.
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { listExports } from '@countersign/shared/routes/exports';
import { aSubmission, review } from '../../server/test/builders.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';
import { ALL_APPEARANCES, expectAccessible, saveScreenshot, setAppearance } from '../support/page-checks.ts';

const chromium = await findChromium();
const HOSTILE = '<img src=x onerror=alert(1)>\u2028=HYPERLINK("http://x.example")';

describe.skipIf(chromium === undefined)('exporting learnings', () => {
  const browserEnv = useBrowserEnvironment();
  let page: Page;

  beforeAll(async () => {
    const { owner, project, enter } = browserEnv();
    for (const action of ['edit', 'edit', 'reject'] as const) {
      const { id } = await project.pipeline.submit(aSubmission({ suggestion: HOSTILE }));
      await review(owner, id, action);
    }
    page = await enter(owner, '/learnings');
  });

  const dialog = () => page.getByRole('dialog', { name: 'Export learnings' });
  const open = async () => {
    await page.getByRole('button', { name: 'Export JSONL' }).click();
    await dialog()
      .getByText(/\d lines?,/)
      .waitFor();
  };
  const download = async (link = 'Download') => {
    const saving = page.waitForEvent('download');
    await dialog().getByRole('link', { name: link, exact: true }).click();
    const saved = await saving;
    return { name: saved.suggestedFilename(), text: await readFile(await saved.path(), 'utf8') };
  };

  it('LX2, LX4: saves what the preview showed, although more learnings arrived meanwhile, and lists who exported it', async () => {
    const { owner, project } = browserEnv();
    await open();
    await dialog().getByText('3 lines,').waitFor();
    await dialog().getByText('No exports yet.').waitFor();
    await dialog().getByRole('radio', { name: 'Preference' }).check({ force: true });
    await dialog().getByText('2 lines,').waitFor();
    const shown = await dialog().getByRole('list', { name: 'First lines' }).getByRole('listitem').allTextContents();
    const { id } = await project.pipeline.submit(aSubmission());
    await review(owner, id, 'edit');
    const { name, text } = await download();
    expect(name).toMatch(/^learnings-preference-[\w-]+\.jsonl$/);
    expect(text.split('\n')).toEqual([...shown.map((line) => line.trim()), '']);
    expect(text).toContain(String.raw`<img src=x onerror=alert(1)>\u2028=HYPERLINK(`);
    await dialog().waitFor({ state: 'detached' });
    await open();
    const listed = dialog().getByRole('region', { name: 'Earlier exports' });
    await expect.poll(() => listed.getByRole('listitem').allTextContents()).toHaveLength(1);
    await listed.getByText('2 lines').waitFor();
    await listed.getByText('Preference').waitFor();
    await page.keyboard.press('Escape');
  });

  it('says when nothing matches, and offers no download', async () => {
    await open();
    await dialog().getByLabel('Overrides').selectOption({ label: 'Rejections' });
    await dialog().getByText('1 line,').waitFor();
    await dialog().getByLabel('Reason').selectOption({ label: 'Wrong fact' });
    await dialog().getByText('Nothing to export yet.').waitFor();
    expect(await dialog().getByRole('button', { name: 'Download' }).isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
  });

  it('starts with the filter of the page, says where the export includes more, and offers the same file again', async () => {
    const { owner, project } = browserEnv();
    const { origin } = new URL(page.url());
    await page.goto(`${origin}/learnings?project=${project.id}&action=reject&range=day`);
    await open();
    expect(await dialog().getByLabel('Overrides').inputValue()).toBe('reject');
    await dialog().getByText('The period and search of this page do not apply').waitFor();
    const { text } = await download('Download again');
    expect(text.trim().split('\n')).toHaveLength(2);
    const { data } = await owner.call(listExports, { params: { id: project.id }, query: {} });
    expect(data.map(({ filter, lines }) => [filter.format, lines])).toEqual([
      ['preference', 2],
      ['preference', 2],
    ]);
    await page.goto(`${origin}/learnings?project=${project.id}`);
  });

  it('is accessible and fits, in both themes, wide and on a phone', async () => {
    for (const each of ALL_APPEARANCES) {
      await setAppearance(page, each);
      await open();
      await expectAccessible(page);
      expect(await dialog().evaluate((box) => box.scrollWidth > box.clientWidth)).toBe(false);
      await saveScreenshot(page, `export-${each.colorScheme}-${each.size.width}`);
      await page.keyboard.press('Escape');
    }
  });
});
