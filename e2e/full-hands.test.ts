// LC4 in a real Chromium: who holds three items and wants a fourth reads why not, and is led to what they hold.
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { claimItem, MOST_CLAIMS } from '@countersign/shared/api/queue';
import { aSubmission } from '../server/test/builders.ts';
import { findChromium } from '../scripts/browser.ts';
import { useHouse } from './house.ts';
import { openRow, row } from './queue.ts';
import { expectAccessible } from './looks.ts';

const chromium = await findChromium();

const SCREENS = [
  { width: 1440, height: 900, colorScheme: 'light' },
  { width: 390, height: 844, colorScheme: 'dark' },
] as const;
const FULL = 'You hold as many items as one person may. Decide one, or give one back.';
const said = (page: Page) => page.getByRole('alert').filter({ hasText: FULL, visible: true });

describe.skipIf(chromium === undefined)('LC4: a fourth item', () => {
  const house = useHouse();

  it('is refused in words, on a desk and on a phone, with the way to what one holds', async () => {
    const { owner, project, enter, excuse } = house();
    excuse(/409/);
    const questions = ['First held?', 'Second held?', 'Third held?', 'One more?'];
    const ids: string[] = [];
    for (const question of questions)
      ids.push((await project.pipeline.submit(aSubmission({ input: { question } }))).id);
    for (const id of ids.slice(0, MOST_CLAIMS)) await owner.call(claimItem, { params: { id } });

    for (const { width, height, colorScheme } of SCREENS) {
      const page = await enter(owner, '/queue');
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme });
      await row(page, 'One more?').waitFor();
      // The server's choice, and a line of the reader's own: nothing is on show, and the reason stands where the item would.
      await page.keyboard.press('n');
      await said(page).waitFor();
      await expectAccessible(page);
      await openRow(page, 'One more?');
      await said(page).getByRole('link', { name: 'Show mine' }).click();
      await expect.poll(() => page.getByRole('row').count()).toBe(MOST_CLAIMS);
      await openRow(page, 'First held?');
      await page.getByText('Yours for').waitFor();
      expect(await said(page).count()).toBe(0);
      await page.close();
    }
  });
});
