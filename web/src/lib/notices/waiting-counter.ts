// Reads how many items wait for the user while no page follows the whole queue: at once, and again after events (NO8).
import { listQueue } from '@countersign/shared/routes/queue';
import { COUNT_LIMIT } from '@countersign/shared/limits';
import { call } from '../api/client.ts';
import { live } from '../live/connection.svelte.ts';
import { ReloadThrottle } from '../live/reload-throttle.ts';
import { waiting } from './waiting.svelte.ts';

/** Events cause at most one request in this many ms; fewer in a hidden tab, which still counts. */
const SPACING_MS = 2000;
const HIDDEN_SPACING_MS = 10_000;

/** Keeps `waiting.read` up to date. Returns the function that stops it. */
export function followCount(): () => void {
  let stopped = false;
  let error: unknown = null;
  const throttle = new ReloadThrottle({
    get spacing() {
      return document.visibilityState === 'hidden' ? HIDDEN_SPACING_MS : SPACING_MS;
    },
    mayReload: () => true,
    reload: async () => {
      // Until it is answered the older number stays.
      error = null;
      const page = await call(listQueue, { query: { view: 'mine', limit: 1 } }).catch(
        (cause: unknown) => void (error = cause),
      );
      if (page === undefined || stopped) return;
      const { available, mine } = page.counts;
      waiting.read = available > COUNT_LIMIT ? Infinity : available + mine;
    },
    error: () => error,
  });
  void throttle.now();
  const stops = [
    live.on('*', ({ type }) => type !== 'delivery.changed' && throttle.schedule()),
    live.onResync(() => throttle.now()),
  ];
  return () => {
    stopped = true;
    throttle.stop();
    for (const stop of stops) stop();
  };
}
