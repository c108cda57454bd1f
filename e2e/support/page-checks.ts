// Checks a page for accessibility violations and horizontal overflow, in both themes, wide and on a phone.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type axe from 'axe-core';
import type { Page } from 'playwright';
import { expect } from 'vitest';
import { SOAK } from '../../server/test/soak.ts';

export const THEMES = ['light', 'dark'] as const;
export const WIDE = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };
const SIZES = [WIDE, PHONE];

export interface Appearance {
  colorScheme: (typeof THEMES)[number];
  size: typeof WIDE;
}
/** Each theme and each size once: for one more state of a page that another test checks in all of them. */
export const ONCE_EACH: readonly [Appearance, Appearance] = [
  { colorScheme: 'dark', size: PHONE },
  { colorScheme: 'light', size: WIDE },
];
const EVERY_PAIR = THEMES.flatMap((colorScheme) => SIZES.map((size) => ({ colorScheme, size })));
/** Every theme in every size; in `npm test` each of them once. */
export const ALL_APPEARANCES: readonly Appearance[] = SOAK ? EVERY_PAIR : ONCE_EACH;

/** Shows the page in a theme and a size. */
export async function setAppearance(page: Page, { colorScheme, size }: Appearance): Promise<void> {
  await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await nextFrames(page);
  await disableAnimations(page);
}

/** Waits until the page has drawn what changed: its scripts learn of another size or theme with the next frame. */
export const nextFrames = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
  });

/** Disables transitions from now on: contrast cannot be measured half way, and a background page would never finish one. */
async function disableAnimations(page: Page): Promise<void> {
  await page.evaluate(() => {
    const rule = '*, ::before, ::after { transition: none !important }';
    const known = document.adoptedStyleSheets.some(({ cssRules }) => cssRules[0]?.cssText.includes('transition: none'));
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(rule);
    if (!known) document.adoptedStyleSheets.push(sheet);
    for (const each of document.getAnimations())
      if (each.effect?.getComputedTiming().endTime !== Infinity) each.finish();
  });
}

/** The minified file is half as large as what the module exports: every checked page receives it. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** A theme changes colours alone: what else a page looked like in one, it looks like in the other. */
export const RULES_ABOUT_COLOUR = ['color-contrast', 'link-in-text-block'];

/** Checks that the page, or what `within` selects, violates no axe rule, or none of `rules`. */
export async function expectAccessible(page: Page, within?: string, rules?: readonly string[]): Promise<void> {
  // Runs in the page itself: the Playwright package opens a second page for each check, which takes seconds and covers the first.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE);
  await disableAnimations(page);
  const faults = await page.evaluate(
    async ([selector, values]) => {
      const { axe: checker } = window as unknown as { axe: typeof axe };
      const only = values === undefined ? {} : { runOnly: { type: 'rule' as const, values: [...values] } };
      const asked = { resultTypes: ['violations' as const], preload: false, ...only };
      const { violations } = await checker.run(selector ?? document, asked);
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`);
    },
    [within, rules] as const,
  );
  expect(faults, page.url()).toEqual([]);
}

/** Checks that nothing makes the page scroll horizontally. */
export async function expectFits(page: Page): Promise<void> {
  const wider = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(await wider(), `${page.url()} overflows the screen by this many pixels`).toBeLessThanOrEqual(0);
}

/**
 * Checks the page in these ways as it is, and saves pictures in $SHOTS under this name. Every rule is checked in each size, those
 * about colours in each theme too. Resets it to wide and light.
 */
export async function checkAppearances(
  page: Page,
  name: string,
  appearances: readonly Appearance[] = ALL_APPEARANCES,
): Promise<void> {
  const seen = new Set<number>();
  for (const each of appearances) {
    const { width } = each.size;
    await setAppearance(page, each);
    await saveScreenshot(page, `${name}-${each.colorScheme}-${width}`);
    await expectAccessible(page, undefined, seen.has(width) ? RULES_ABOUT_COLOUR : undefined);
    await expectFits(page);
    seen.add(width);
  }
  await setAppearance(page, { colorScheme: 'light', size: WIDE });
}

/** Saves a screenshot under $SHOTS, for people who want to see it. */
export async function saveScreenshot(page: Page, name: string, fullPage = false): Promise<void> {
  const { SHOTS } = process.env;
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage });
}
