// Learnings as a file in a real browser: what is shown before is what is saved, in both themes, wide and on a phone.
import { readFile } from 'node:fs/promises';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from '../scripts/browser.ts';
import { aSubmission, review } from '../server/test/builders.ts';
import { useHouse } from './house.ts';

const chromium = await findChromium();
const HOSTILE = '<img src=x onerror=alert(1)>\u2028=HYPERLINK("http://x.example")';

describe.skipIf(chromium === undefined)('exporting learnings', () => {
  const house = useHouse();
  let page: Page;

  beforeAll(async () => {
    const { owner, project, enter } = house();
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
  const download = async () => {
    const saving = page.waitForEvent('download');
    await dialog().getByRole('link', { name: 'Download' }).click();
    const saved = await saving;
    return { name: saved.suggestedFilename(), text: await readFile(await saved.path(), 'utf8') };
  };

  it('LX2, LX4: what is saved is what was shown, though more came meanwhile; and who took it is listed', async () => {
    const { owner, project } = house();
    await open();
    await dialog().getByText('3 lines,').waitFor();
    await dialog().getByText('Nobody has exported yet.').waitFor();
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

  it('says when nothing answers, and offers nothing to save', async () => {
    await open();
    await dialog().getByLabel('Overrides').selectOption({ label: 'Rejections' });
    await dialog().getByText('1 line,').waitFor();
    await dialog().getByLabel('Reason').selectOption({ label: 'Wrong fact' });
    await dialog().getByText('Nothing answers this yet.').waitFor();
    expect(await dialog().getByRole('button', { name: 'Download' }).isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
  });

  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [1440, 390])
      it(`is accessible and fits, ${colorScheme}, ${width}`, async () => {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await page.setViewportSize({ width, height: 844 });
        await open();
        const { violations } = await new AxeBuilder({ page }).analyze();
        expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
        const wider = await dialog().evaluate((box) => box.scrollWidth > box.clientWidth);
        expect(wider).toBe(false);
        if (process.env.SHOTS)
          await page.screenshot({ path: `${process.env.SHOTS}/export-${colorScheme}-${width}.png` });
        await page.keyboard.press('Escape');
      });
});
