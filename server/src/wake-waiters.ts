// Wakes the requests that wait for a decision on a notification; polling covers lost ones.
import { EVENTS_APPENDED, parseEventTypes } from './db/connection/channels.ts';
import type { Signals } from './db/connection/signals.ts';
import { FINAL_EVENT_TYPES } from './domain/webhooks/delivered-events.ts';
import { FRAME_MS } from './realtime/tail.ts';
import type { Services } from './usecases/services.ts';
import { startLoop } from './worker/loop.ts';

const POLL_MS = 1000;

/** Returns a function that releases all waiting requests and stops. */
export async function startWaiterLoop(
  { services, signals }: { services: Services; signals: Signals },
  pollMs = POLL_MS,
): Promise<() => Promise<void>> {
  const { waiters, log } = services;
  const waking = startLoop({ name: 'waiters', run: () => waiters.runOnce(), pollMs, gapMs: FRAME_MS, log });
  await signals.on(EVENTS_APPENDED, (payload) => {
    const types = parseEventTypes(payload);
    if (FINAL_EVENT_TYPES.some((type) => types.has(type))) waking.wake();
  });
  return async () => {
    waiters.close();
    await waking.stop();
  };
}
