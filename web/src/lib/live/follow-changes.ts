// Keeps a value up to date while a page shows it: loads it after changes, after a gap, and again after a failure.
import { live } from './connection.svelte.ts';
import { ReloadThrottle } from './reload-throttle.ts';

/** Its `load` never throws: the cause is in `error`. */
export interface Loadable {
  load: () => Promise<unknown>;
  readonly error: unknown;
}

/** Loads a value at once, however often that is requested; a load that failed is repeated until it succeeds (QU4). */
export const reloader = (value: Loadable): ReloadThrottle =>
  new ReloadThrottle({
    spacing: 0,
    mayReload: () => true,
    reload: () => value.load(),
    error: () => value.error,
  });

/**
 * Follows a value. `subscribe` listens for what changes it, and returns the functions that stop listening. Returns the function that
 * stops it all.
 */
export function followChanges(
  value: Loadable & { cancel: () => void },
  subscribe: (reload: () => void) => readonly (() => void)[] = () => [],
): () => void {
  const throttle = reloader(value);
  void throttle.now();
  const stops = [
    ...subscribe(() => void throttle.now()),
    live.onResync(() => throttle.now()),
    () => throttle.stop(),
    () => value.cancel(),
  ];
  return () => stops.forEach((stop) => stop());
}
