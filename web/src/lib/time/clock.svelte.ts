// The single ticking clock of the page, in server time: all ages, countdowns and relative times read it.
import { createSubscriber } from 'svelte/reactivity';
import { clampOffset } from './clock-offset.ts';

let offset = 0;

const subscribe = createSubscriber((update) => {
  let timer: ReturnType<typeof setTimeout>;
  // Aligned to whole seconds, so that all countdowns on the page step at the same moment.
  const tick = () => {
    update();
    timer = setTimeout(tick, 1000 - (clock.read() % 1000));
  };
  timer = setTimeout(tick, 1000 - (clock.read() % 1000));
  return () => clearTimeout(timer);
});

export const clock = {
  /**
   * Server time in ms. Read in a template or an effect it ticks once a second; the timer runs only while there is a subscriber.
   */
  get now(): number {
    subscribe();
    return clock.read();
  },
  /** Server time in ms at this moment, without subscribing. */
  read(): number {
    return Date.now() + offset;
  },
};

/** Applies what an answer says of the server's clock: it was `from`..`to` (ms) at some time between `sentAt` and now. */
export function observeServerTime(proof: { from: number; to: number; sentAt: number }): void {
  offset = clampOffset(offset, { ...proof, receivedAt: Date.now() });
}
