// Detects which pages of this browser are closed: each holds a lock that the browser releases on closing, and reports when it is
// left.
import type { Pages } from './local-records.ts';

const LOCK = 'countersign.page.';
const NAME = 'countersign.tab';
const LEFT_PAGES_KEY = 'countersign.left';
/** The number of left pages remembered per tab. */
const KNOWN = 20;

/** This load of the page. Others can ask whether it is closed. */
export const PAGE = crypto.randomUUID();
/** Its tab, which stays the same through a reload. */
export const TAB = read(NAME) ?? PAGE;
write(NAME, TAB);

/** A duplicated tab has the same name as an open one; what its pages reported when they were left is still true. */
const closed = new Set((read(LEFT_PAGES_KEY) ?? '').split(' '));

const locks = typeof navigator === 'undefined' ? undefined : (navigator as Partial<Navigator>).locks;

// Held for as long as this page is open.
void locks?.request(LOCK + PAGE, () => new Promise(() => undefined)).catch(() => undefined);

if (typeof window !== 'undefined') {
  window.addEventListener('pagehide', () => write(LEFT_PAGES_KEY, [...leftPages(), PAGE].slice(-KNOWN).join(' ')));
  // The browser restored the page from its cache.
  window.addEventListener('pageshow', ({ persisted }) => persisted && write(LEFT_PAGES_KEY, leftPages().join(' ')));
}

/** This page's knowledge of the others. Where the browser has no locks, a page of another tab counts as open forever. */
export const otherPages: Pages = {
  isClosed: (page) => closed.has(page),
  whenClosed: (page, listener) => {
    const ended = () => {
      closed.add(page);
      listener();
    };
    // Granted as soon as the page releases its own.
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
    // Then only the lock tells.
  }
}
