// What a page shows for some seconds only: noted as it is shown, so that a machine too slow to look meanwhile finds it afterwards.
import type { Page } from 'playwright';

/** Notes from now on whether the page ever shows this text; the answer waits until it has. A reload ends it. */
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
