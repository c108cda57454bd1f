// Loads a page again that is older than the service it talks to (QU20). Drafts are saved in the browser and survive it.

const RELOADED_AT = 'countersign.reloaded-at';
/** A service that serves the old page for a while, as during a rolling update, is asked for it this often at most. */
const RELOAD_GAP_MS = 60_000;

interface Browser {
  storage: Pick<Storage, 'getItem' | 'setItem'>;
  now: () => number;
  reload: () => void;
}

/** Loads the page again, at most once a minute in this tab. Answers whether it does. */
export function reloadOutdatedPage(browser: Browser = thisBrowser()): boolean {
  const { storage, now, reload } = browser;
  if (now() - Number(storage.getItem(RELOADED_AT) ?? -Infinity) < RELOAD_GAP_MS) return false;
  storage.setItem(RELOADED_AT, String(now()));
  reload();
  return true;
}

const thisBrowser = (): Browser => ({
  storage: sessionStorage,
  now: () => Date.now(),
  reload: () => location.reload(),
});
