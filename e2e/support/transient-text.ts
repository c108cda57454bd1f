// Records text that a page shows only for some seconds, so that a slow machine still finds it afterwards.
import type { Page } from 'playwright';

/** Starts to record whether the page shows this text; the returned promise waits until it has. A reload ends the recording. */
export async function watchForText(page: Page, text: string): Promise<() => Promise<void>> {
  const observation = await page.evaluateHandle((wanted) => {
    const record = { shown: false };
    const observer = new MutationObserver((changes) => {
      const elements = changes.map(({ target }) => (target instanceof Text ? target.parentElement : target));
      record.shown ||= elements.some((element) => element?.textContent?.includes(wanted));
    });
    observer.observe(document.body, { subtree: true, childList: true, characterData: true });
    return record;
  }, text);
  return async () => {
    await page.waitForFunction(({ shown }) => shown, observation);
    await observation.dispose();
  };
}
