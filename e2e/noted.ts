// What a page shows for some seconds only: noted as it is shown, so that a machine too slow to look meanwhile finds it afterwards.
import type { Page } from 'playwright';

/** Notes from now on whether the page ever shows this text; the answer waits until it has. A reload ends it. */
export async function noteText(page: Page, text: string): Promise<() => Promise<void>> {
  const noted = await page.evaluateHandle((wanted) => {
    const note = { shown: false };
    const looker = new MutationObserver((changes) => {
      const places = changes.map(({ target }) => (target instanceof Text ? target.parentElement : target));
      note.shown ||= places.some((place) => place?.textContent?.includes(wanted));
    });
    looker.observe(document.body, { subtree: true, childList: true, characterData: true });
    return note;
  }, text);
  return async () => {
    await page.waitForFunction(({ shown }) => shown, noted);
    await noted.dispose();
  };
}
