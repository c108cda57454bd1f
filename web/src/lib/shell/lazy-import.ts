// Imports parts of a page on demand, and handles a failed import.

/** The delay before the first retry, which doubles up to the second figure. */
const RETRY_DELAY_MS = 1000;
const MAX_RETRY_DELAY_MS = 30_000;

/**
 * Imports a part that nobody waits for, and retries. Never rejects: without a connection the part is missing, and nothing else
 * fails. Where retries cannot succeed, the page offers to load itself again (missing-parts.svelte.ts).
 */
export const importUntilLoaded = <Module>(load: () => Promise<Module>): Promise<Module> => retryUntilDone(load);

/** Retries what failed when the browser is online again, at the latest after a delay. Never rejects. */
export async function retryUntilDone<Value>(act: () => Promise<Value>): Promise<Value> {
  for (let delay = RETRY_DELAY_MS; ; delay = Math.min(2 * delay, MAX_RETRY_DELAY_MS)) {
    try {
      return await act();
    } catch {
      await onlineOrAfter(delay);
    }
  }
}

function onlineOrAfter(delay: number): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      window.removeEventListener('online', go);
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(go, delay);
    window.addEventListener('online', go);
  });
}

/**
 * Never rejects: when the import fails, `failed` reverts the request, so that the next press tries again. Where that cannot succeed,
 * the page offers to load itself again (missing-parts.svelte.ts).
 */
export const lazyImport = <Module>(part: Promise<Module>, failed: () => void): Promise<Module | null> =>
  part.catch(() => {
    failed();
    return null;
  });
