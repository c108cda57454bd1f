// Keeps a page from loading by itself what the first interaction loads.
import type { Page } from 'playwright';

/**
 * Keeps the `load` event of the next document from firing: some seconds after it, a page loads these parts without an interaction.
 */
export async function holdLoad(page: Page): Promise<void> {
  await page.route(
    ({ search }) => search === '?held',
    () => undefined,
  );
  await page.addInitScript(() => {
    new Image().src = '/favicon.svg?held';
  });
}
