// Delays parts the first screen does not need until the first interaction, or until the page has been idle for long.
import { importUntilLoaded } from './lazy-import.ts';

const INTERACTIONS = ['pointermove', 'pointerdown', 'touchstart', 'wheel', 'keydown', 'click'] as const;
/** Needs no interaction: a page that has been idle for this many ms continues automatically. */
const REST_MS = 3000;

let firstInteraction: Promise<void> | null = null;

/** Resolves at the first interaction with this tab, or when the page has been idle. All callers share one moment. */
export function preloadOnInteraction(): Promise<void> {
  firstInteraction ??= new Promise((resolve) => {
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
  return firstInteraction;
}

/** Imports a part at that moment, as often as it takes: a lost connection delays it, and breaks nothing. */
export const importOnInteraction = <Module>(load: () => Promise<Module>): Promise<Module> =>
  preloadOnInteraction().then(() => importUntilLoaded(load));
