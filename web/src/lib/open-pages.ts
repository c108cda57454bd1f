// Which pages of this browser are open: each holds a lock that the browser lets go of when the page is closed.

const LOCK = 'countersign.page.';
const NAME = 'countersign.tab';

/** This load of the page. Others can ask whether it is open. */
export const PAGE = crypto.randomUUID();
/** The tab it is in, which stays through a reload. */
export const TAB = tabId();

const locks = typeof navigator === 'undefined' ? undefined : (navigator as Partial<Navigator>).locks;

// Held for as long as this page is open.
void locks?.request(LOCK + PAGE, () => new Promise(() => undefined)).catch(() => undefined);

/** Whether a page is open. Where the browser cannot say, it may be. */
export async function isPageOpen(page: string): Promise<boolean> {
  try {
    const held = (await locks?.query())?.held;
    return held === undefined || held.some(({ name }) => name === LOCK + page);
  } catch {
    return true;
  }
}

function tabId(): string {
  try {
    const known = sessionStorage.getItem(NAME) ?? PAGE;
    sessionStorage.setItem(NAME, known);
    return known;
  } catch {
    return PAGE;
  }
}
