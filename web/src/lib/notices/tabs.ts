// What the tabs of a person share by the browser's locks: which one leads, and whether one is visible or in use.

type Locks = Pick<LockManager, 'request' | 'query'>;

/** Null where the browser has none: then each tab acts alone. */
export const browserLocks = (): Locks | null => ('locks' in navigator ? navigator.locks : null);

/**
 * Runs `lead` in one of all tabs that ask for this name, and in the next one when that tab closes. `lead` returns the function
 * that ends it. Without locks every tab leads. Returns the function that gives it up.
 */
export function leadOneTab(name: string, lead: () => () => void, locks: Locks | null): () => void {
  if (locks === null) return lead();
  const stop = new AbortController();
  const { signal } = stop;
  const hold = () =>
    new Promise<void>((release) => {
      // Given up between the grant and now.
      if (signal.aborted) return release();
      const end = lead();
      signal.addEventListener('abort', () => {
        end();
        release();
      });
    });
  // Rejected when it is given up while another tab leads.
  locks.request(name, { signal }, hold).catch(() => undefined);
  return () => stop.abort();
}

export interface TabSight {
  visible: boolean;
  focused: boolean;
}

const ownSight = (): TabSight => {
  const visible = document.visibilityState === 'visible';
  return { visible, focused: visible && document.hasFocus() };
};

/** Says what a person sees of all their tabs. */
export interface TabsWatch {
  read(): Promise<TabSight>;
  stop(): void;
}

/**
 * Tells the other tabs by shared locks whether this one is visible and has the focus: a lock of a closed tab is gone. `onchange` is
 * called when that changes in any tab.
 */
export function watchTabs(user: string, locks: Locks | null, onchange: () => void): TabsWatch {
  const name = (what: keyof TabSight) => `countersign.${what}.${user}`;
  const told = { visible: sharedLock(name('visible'), locks), focused: sharedLock(name('focused'), locks) };
  const channel = new BroadcastChannel(`countersign.tabs.${user}`);
  channel.onmessage = onchange;
  const tell = () => {
    const { visible, focused } = ownSight();
    const changed = [told.visible(visible), told.focused(focused)];
    if (!changed.includes(true)) return;
    channel.postMessage(null);
    onchange();
  };
  const stop = new AbortController();
  for (const [target, type] of [
    [document, 'visibilitychange'],
    [window, 'focus'],
    [window, 'blur'],
  ] as const)
    target.addEventListener(type, tell, { signal: stop.signal });
  tell();
  return {
    read: async () => {
      const own = ownSight();
      const held = locks === null ? [] : ((await locks.query()).held ?? []);
      const some = (what: keyof TabSight) => own[what] || held.some((lock) => lock.name === name(what));
      return { visible: some('visible'), focused: some('focused') };
    },
    stop: () => {
      stop.abort();
      told.visible(false);
      told.focused(false);
      channel.close();
    },
  };
}

/** A lock that any number of tabs hold. The function takes or releases it, and returns whether that changed anything. */
function sharedLock(name: string, locks: Locks | null): (wanted: boolean) => boolean {
  let release: (() => void) | null = null;
  return (wanted) => {
    if (wanted === (release !== null)) return false;
    release?.();
    release = wanted ? take() : null;
    return true;
  };

  function take(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    locks?.request(name, { mode: 'shared' }, () => promise).catch(() => undefined);
    return resolve;
  }
}
