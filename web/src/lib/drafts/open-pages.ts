// Which pages of this browser are over: each holds a lock that the browser lets go of when the page is closed, and says itself that it leaves.
import type { Pages } from './local-records.ts';

const LOCK = 'countersign.page.';
const NAME = 'countersign.tab';
const LEFT_PAGES_KEY = 'countersign.left';
/** As many pages of a tab are known to have been left. */
const KNOWN = 20;

/** This load of the page. Others can ask whether it is over. */
export const PAGE = crypto.randomUUID();
/** The tab it is in, which stays through a reload. */
export const TAB = read(NAME) ?? PAGE;
write(NAME, TAB);

/** A tab that was duplicated has the same name as one that is open; what its pages said when they left is true all the same. */
const closed = new Set((read(LEFT_PAGES_KEY) ?? '').split(' '));

const locks = typeof navigator === 'undefined' ? undefined : (navigator as Partial<Navigator>).locks;

// Held for as long as this page is open.
void locks?.request(LOCK + PAGE, () => new Promise(() => undefined)).catch(() => undefined);

if (typeof window !== 'undefined') {
  window.addEventListener('pagehide', () => write(LEFT_PAGES_KEY, [...leftPages(), PAGE].slice(-KNOWN).join(' ')));
  // The browser kept the page and has brought it back.
  window.addEventListener('pageshow', ({ persisted }) => persisted && write(LEFT_PAGES_KEY, leftPages().join(' ')));
}

/** What this page knows of the others. Where the browser has no locks, a page of another tab may be open for ever. */
export const otherPages: Pages = {
  isClosed: (page) => closed.has(page),
  whenClosed: (page, listener) => {
    const ended = () => {
      closed.add(page);
      listener();
    };
    // Given as soon as the page lets go of its own.
    void locks?.request(LOCK + page, { mode: 'shared' }, ended).catch(() => undefined);
  },
};

function leftPages(): string[] {
  return (read(LEFT_PAGES_KEY) ?? '').split(' ').filter((page) => page !== '' && page !== PAGE);
}

function read(name: string): string | null {
  try {
    return sessionStorage.getItem(name);
  } catch {
    return null;
  }
}

function write(name: string, value: string): void {
  try {
    sessionStorage.setItem(name, value);
  } catch {
    // Then the lock alone says it.
  }
}
