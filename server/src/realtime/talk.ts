// How much a client may say over its socket: a bucket for each, since all there is to say is where it is.

/** So much at once, a reconnect's worth of it and more. */
export const TALK_AT_ONCE = 20;
/** One more after each of these, in milliseconds. */
export const TALK_MS = 1000;

/** Answers a function that counts one packet at the given time (ms) and says whether it is within bounds. */
export function createTalk(): (now: number) => boolean {
  let level = 0;
  let last = -Infinity;
  return (now) => {
    level = Math.max(0, level - Math.max(0, now - last) / TALK_MS) + 1;
    last = Math.max(last, now);
    return level <= TALK_AT_ONCE;
  };
}
