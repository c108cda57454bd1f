// Tests LC4 in Chromium: who holds three items and claims a fourth reads why not, with a link to the held ones.
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { claimItem } from '@countersign/shared/routes/queue';
import { MAX_CLAIMS } from '@countersign/shared/limits';
import { aSubmission } from '../../server/test/builders.ts';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';
import { openRow, row } from '../support/queue.ts';
import { expectAccessible } from '../support/page-checks.ts';

const chromium = await findChromium();

const SCREENS = [
  { width: 1440, height: 900, colorScheme: 'light' },
  { width: 390, height: 844, colorScheme: 'dark' },
] as const;
const FULL = "You've claimed 3 items, the maximum. Decide or release one.";
const limitAlert = (page: Page) => page.getByRole('alert').filter({ hasText: FULL, visible: true });

describe.skipIf(chromium === undefined)('LC4: a fourth item', () => {
  const browserEnv = useBrowserEnvironment();

  it('is refused with a message, at 1440 and 390 px, that links to the items the reviewer holds', async () => {
    const { owner, project, enter, allowConsoleError, frontProxy } = browserEnv();
    allowConsoleError(/409/);
    const questions = ['First held?', 'Second held?', 'Third held?', 'One more?'];
    const ids: string[] = [];
    for (const question of questions)
      ids.push((await project.pipeline.submit(aSubmission({ input: { question } }))).id);
    for (const id of ids.slice(0, MAX_CLAIMS)) await owner.call(claimItem, { params: { id } });

    const fourth = ids[MAX_CLAIMS] ?? '';
    const claimPath = claimItem.path.replace(':id', fourth);

    const page = await enter(owner, '/queue');
    for (const { width, height, colorScheme } of SCREENS) {
      await page.goto(`${frontProxy.url}/queue`);
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme });
      await row(page, 'One more?').waitFor();
      // Both claim next and a chosen line: no item is open, and the message takes its place.
      await page.keyboard.press('n');
      await limitAlert(page).waitFor();
      await expectAccessible(page);
      // Until the second refusal the message of the first one is there, and goes away under a click.
      const refused = page.waitForResponse(
        (response) => response.url().endsWith(claimPath) && response.status() === 409,
      );
      await openRow(page, 'One more?');
      await refused;
      await limitAlert(page).getByRole('link', { name: 'Show my items' }).click();
      await expect.poll(() => page.getByRole('row').count()).toBe(MAX_CLAIMS);
      await openRow(page, 'First held?');
      await page.getByText('Yours for').waitFor();
      expect(await limitAlert(page).count()).toBe(0);
    }
  });
});
