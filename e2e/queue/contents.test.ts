// Opens each kind of content in a real browser, from a phone to 2560 px and at 200 % zoom: it fits, and can be decided.
import type { Page } from 'playwright';
import { describe, expect, it } from 'vitest';
import { aSubmission } from '../../server/test/builders.ts';
import { SOAK, shortlist } from '../../server/test/soak.ts';
import { findChromium } from '../../scripts/lib/processes/browser.ts';
import { CONTENTS } from '../../web/src/lib/values/contents.fixture.ts';
import { useBrowserEnvironment } from '../support/test-environment.ts';
import {
  expectAccessible,
  expectFits,
  nextFrames,
  ONCE_EACH,
  RULES_ABOUT_COLOUR,
  saveScreenshot,
  setAppearance,
  THEMES,
} from '../support/page-checks.ts';

const chromium = await findChromium();
const MINUTE = 60_000;
const ITEM = 'section[aria-label="Item"]';

/** 200 % zoom halves a window of 1440 × 900. */
const ZOOMED = { width: 720, height: 450 };
const SIZES = [
  { width: 390, height: 844 },
  ZOOMED,
  { width: 1280, height: 800 },
  { width: 1440, height: 900 },
  { width: 1920, height: 1080 },
  { width: 2560, height: 1440 },
];
/** The extremes stand for the others in `npm test`. */
const CHECKED = SOAK || process.env.SHOTS ? SIZES : SIZES.filter(({ width }) => [390, 720, 2560].includes(width));

/** Each renderer that lays out in its own way once; `web/src/lib/values` tests what the others show. */
const SHOWN = shortlist(Object.keys(CONTENTS), [
  'chat of 30 turns',
  'table of 12 columns',
  'tree of six levels',
  'Markdown',
  'code',
  'picture with boxes',
  'PDF',
  'Arabic',
  'HTML mail',
]);

/** Waits until the parts that load on demand are there. */
async function settled(page: Page): Promise<void> {
  await nextFrames(page);
  await page.getByRole('heading', { name: /^Suggestion/ }).waitFor();
  await page.locator('[data-actions-enabled=true]').waitFor();
  await expect.poll(() => page.locator('[role=status][aria-label^=Loading]').count()).toBe(0);
  await expect.poll(() => emptyBlocks(page)).toBe(0);
  await page.evaluate(() => document.fonts.ready);
}

/** Values whose renderer has not loaded. */
const emptyBlocks = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const bodies = document.querySelectorAll(
      '#item-input section > div:last-child, #item-suggestion section > div:last-child',
    );
    return [...bodies].filter(({ textContent, childElementCount }) => textContent === '' && childElementCount === 0)
      .length;
  });

/** Elements of the item that are wider than their box and can not be scrolled to their end. */
const cutOff = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const areas = document.querySelectorAll('#item-input, #item-suggestion');
    return [...areas].filter((area) => area.scrollWidth > area.clientWidth + 1).map(({ id }) => id);
  });

describe.skipIf(chromium === undefined)('a content', () => {
  const browserEnv = useBrowserEnvironment();

  it.each(SHOWN)('QU13: %s fits every window', { timeout: 3 * MINUTE }, async (name) => {
    const { owner, project, enter } = browserEnv();
    const content = CONTENTS[name];
    if (content === undefined) throw new Error(name);
    const { id } = await project.pipeline.submit(aSubmission(content));
    const page = await enter(owner, `/queue?item=${id}`);
    await settled(page);
    for (const size of CHECKED) {
      await page.setViewportSize(size);
      await settled(page);
      await expectFits(page);
      expect(await cutOff(page), `${size.width} px`).toEqual([]);
      if (process.env.SHOTS) await saveThemes(page, `${name}-${size.width}`, size);
    }
    const [narrow, wide] = ONCE_EACH;
    await setAppearance(page, narrow);
    await expectAccessible(page, ITEM);
    await setAppearance(page, wide);
    await expectAccessible(page, ITEM, SOAK ? undefined : RULES_ABOUT_COLOUR);
  });
});

async function saveThemes(page: Page, name: string, size: typeof ZOOMED): Promise<void> {
  for (const colorScheme of THEMES) {
    await setAppearance(page, { colorScheme, size });
    await settled(page);
    await saveScreenshot(page, `${name.replaceAll(' ', '_')}-${colorScheme}`);
  }
}
