// Detects which pages of this browser are closed, by a lock that each page holds while it is open.
import { tabStorage, persisted, type Codec } from '../storage/persisted.ts';
import type { Pages } from './local-records.ts';

const LOCK = 'countersign.page.';
/** The number of left pages remembered per tab. */
const KNOWN = 20;

const id: Codec<string | null> = { parse: (text) => text, format: (value) => value ?? '' };
const ids: Codec<readonly string[]> = { parse: (text) => (text ?? '').split(' '), format: (value) => value.join(' ') };
const storedTab = persisted('countersign.tab', id, tabStorage);
/** Where it cannot be stored, only the lock tells. */
const storedLeftPages = persisted('countersign.left', ids, tabStorage);

/** This load of the page. Others can ask whether it is closed. */
export const PAGE = crypto.randomUUID();
/** Its tab, which stays the same through a reload. */
export const TAB = storedTab.read() ?? PAGE;
storedTab.write(TAB);

/** A duplicated tab has the same name as an open one; what its pages reported when they were left is still true. */
const closed = new Set(storedLeftPages.read());

const locks = typeof navigator === 'undefined' ? undefined : (navigator as Partial<Navigator>).locks;

// Held for as long as this page is open.
void locks?.request(LOCK + PAGE, () => new Promise(() => undefined)).catch(() => undefined);

if (typeof window !== 'undefined') {
  window.addEventListener('pagehide', () => storedLeftPages.write([...leftPages(), PAGE].slice(-KNOWN)));
  // The browser restored the page from its cache.
  window.addEventListener('pageshow', ({ persisted: isRestored }) => isRestored && storedLeftPages.write(leftPages()));
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
  return storedLeftPages.read().filter((page) => page !== '' && page !== PAGE);
}
