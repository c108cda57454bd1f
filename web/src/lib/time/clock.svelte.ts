// The single ticking clock of the page, in server time: all ages, countdowns and relative times read it.
import { createSubscriber } from 'svelte/reactivity';

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

/** An answer stated a server time in [from, to] (ms); it was requested at `sentAt` and read at `receivedAt` (local ms). */
interface TimeProof {
  from: number;
  to: number;
  sentAt: number;
  receivedAt: number;
}

/**
 * The offset (ms to add to the local clock) nearest to the present one that the proof allows. The stated time lies between
 * sending and receiving, so `server - local` lies in [from - receivedAt, to - sentAt].
 */
export function clampOffset(offset: number, proof: TimeProof): number {
  const lowest = proof.from - proof.receivedAt;
  const highest = proof.to - proof.sentAt;
  return Math.min(Math.max(offset, lowest), Math.max(lowest, highest));
}
