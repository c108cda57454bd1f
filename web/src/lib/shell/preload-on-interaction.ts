// What the first screen does without is fetched when somebody lays a hand on the page, or when it has long been at rest.

const INTERACTIONS = ['pointermove', 'pointerdown', 'touchstart', 'wheel', 'keydown', 'click'] as const;
/** Nobody has to move for it: a page that has had nothing to do for this many ms goes on by itself. */
const REST_MS = 3000;

let firstInteraction: Promise<void> | null = null;

/** Resolves at the first hand on this tab, or when the page has been at rest. One moment for all who wait. */
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
