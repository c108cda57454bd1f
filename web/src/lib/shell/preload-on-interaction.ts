// Delays parts the first screen does not need until the first interaction, or until the page has been idle for long.
import { importUntilLoaded } from './lazy-import.ts';
import { nextTask } from './next-task.ts';

const INTERACTIONS = ['pointermove', 'pointerdown', 'touchstart', 'wheel', 'keydown', 'click'] as const;
/** Needs no interaction: a page that has been idle for this many ms continues automatically. */
const REST_MS = 3000;

let lastTask: Promise<void> | null = null;

/**
 * Resolves at the first interaction with this tab, or when the page has been idle. All callers wait for the same moment, and each
 * continues in a task of its own: twenty imports that begin at once block the page.
 */
export function preloadOnInteraction(): Promise<void> {
  lastTask = (lastTask ?? firstInteraction()).then(nextTask);
  return lastTask;
}

function firstInteraction(): Promise<void> {
  return new Promise((resolve) => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const finish = () => {
      stop.abort();
      clearTimeout(timer);
      resolve();
    };
    for (const type of INTERACTIONS)
      window.addEventListener(type, finish, { passive: true, capture: true, signal: stop.signal });
    const rest = () => (timer = setTimeout(finish, REST_MS));
    if (document.readyState === 'complete') rest();
    else window.addEventListener('load', rest, { signal: stop.signal });
  });
}

/** Imports the parts after the first interaction, one after another. A part that fails to load is imported again on demand. */
export async function preloadAll(loads: readonly (() => Promise<unknown>)[]): Promise<void> {
  for (const load of loads) {
    await preloadOnInteraction();
    await load().catch(() => undefined);
  }
}

/** Imports a part after the first interaction. Without a connection it is missing, and nothing else fails. */
export const importOnInteraction = <Module>(load: () => Promise<Module>): Promise<Module> =>
  preloadOnInteraction().then(() => importUntilLoaded(load));
