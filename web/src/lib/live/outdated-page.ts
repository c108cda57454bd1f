// Loads a page again that is older than the service it talks to (QU20).

const RELOADED_AT = 'countersign.reloaded-at';
/** A service that serves the old page for a while, as during a rolling update, makes the page reload this often at most. */
const RELOAD_GAP_MS = 60_000;
/** The pages of a restarted service do not all load again at once. */
const SPREAD_MS = 30_000;

interface Browser {
  storage: Pick<Storage, 'getItem' | 'setItem'>;
  now: () => number;
  random: () => number;
  after: (ms: number, action: () => void) => void;
  /** A dialog is open, whose inputs would be lost. */
  isBusy: () => boolean;
  /** Whether the page can be loaded now. */
  isServed: () => Promise<boolean>;
  reload: () => void;
}

let scheduled = false;

/**
 * Loads the page again within half a minute, at most once a minute in this tab, when nothing is open that would be lost and the
 * service can serve it. Otherwise nothing happens, and the next refused connection asks again. Drafts are saved in the browser.
 */
export function reloadOutdatedPage(browser: Browser = thisBrowser()): void {
  if (scheduled) return;
  scheduled = true;
  browser.after(browser.random() * SPREAD_MS, () => {
    void tryReload(browser).finally(() => (scheduled = false));
  });
}

async function tryReload({ storage, now, isBusy, isServed, reload }: Browser): Promise<void> {
  try {
    const last = Number(storage.getItem(RELOADED_AT) ?? -Infinity);
    // A time in the future comes from a clock that was set back.
    const isRecent = last <= now() && now() - last < RELOAD_GAP_MS;
    if (isRecent || isBusy() || !(await isServed()) || isBusy()) return;
    storage.setItem(RELOADED_AT, String(now()));
  } catch {
    // Without storage reloads could repeat without end: the page stays as it is.
    return;
  }
  reload();
}

const thisBrowser = (): Browser => ({
  storage: sessionStorage,
  now: () => Date.now(),
  random: () => Math.random(),
  after: (ms, action) => setTimeout(action, ms),
  isBusy: () => document.querySelector('dialog[open], [role=dialog], [role=alertdialog]') !== null,
  isServed: () =>
    fetch(location.href, { cache: 'no-store' }).then(
      ({ ok }) => ok,
      () => false,
    ),
  reload: () => location.reload(),
});
