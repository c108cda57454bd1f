// Imports parts of a page on demand, and handles a failed import.

/** In ms: how long a part that could not be loaded rests before the next try, and at most. */
const FIRST_REST = 1000;
const LONGEST_REST = 30_000;

/**
 * Imports a part that nobody waits for, as often as it takes: again when the browser is online, at the latest after a rest. Never
 * rejects: where there is no connection the part is missing until there is one, and nothing else fails.
 */
export async function importUntilLoaded<Module>(load: () => Promise<Module>): Promise<Module> {
  for (let rest = FIRST_REST; ; rest = Math.min(2 * rest, LONGEST_REST)) {
    try {
      return await load();
    } catch {
      await onlineOrAfter(rest);
    }
  }
}

function onlineOrAfter(rest: number): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      window.removeEventListener('online', go);
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(go, rest);
    window.addEventListener('online', go);
  });
}

/** Never rejects: when the import fails, `failed` reverts the request, so that the next press tries again. */
export const lazyImport = <Module>(part: Promise<Module>, failed: () => void): Promise<Module | null> =>
  part.catch(() => {
    failed();
    return null;
  });
