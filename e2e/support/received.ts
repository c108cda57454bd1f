// Waits until the document that a page shows now has received a response, not only an earlier one.
import type { Page } from 'playwright';

/**
 * Waits until the current document has received a response from this path. Right after a reload
 * `page.waitForResponse` may return the answer to the previous document, whose body the browser has dropped.
 */
export async function responseReceived(page: Page, path: string): Promise<void> {
  await page.waitForFunction(
    (wanted) =>
      performance
        .getEntriesByType('resource')
        .some(
          (entry) => new URL(entry.name).pathname === wanted && (entry as PerformanceResourceTiming).responseEnd > 0,
        ),
    path,
  );
}
