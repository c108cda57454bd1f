// What was sent to sockets and not taken by their readers yet: measured per connection and in all, so that memory stays bounded. Pure.

/** Bytes that one connection may leave unread before the next packet closes it: its page reconnects and reads a snapshot. */
export const MAX_UNSENT = 1024 * 1024;
/** Bytes that all connections may leave unread; while they do, each may leave only this much. */
const MAX_UNSENT_TOTAL = 64 * 1024 * 1024;
const SHARE_UNSENT = 64 * 1024;

export interface Unsent {
  /** Whether there is room for another packet. One packet always fits: who reads is never closed for its size. */
  hasRoom(): boolean;
  /** A packet waits to be sent. */
  queue(bytes: number): void;
  /** Everything that waited is on its way. */
  send(): void;
  /** What was on its way has been taken. */
  sent(): void;
  /** The connection is gone, and with it all that waited. */
  drop(): void;
}

/** Answers a function that begins to measure another connection. */
export function createUnsentLimit(
  most = { each: MAX_UNSENT, all: MAX_UNSENT_TOTAL, share: SHARE_UNSENT },
): () => Unsent {
  let total = 0;
  return () => {
    let [waiting, leaving] = [0, 0];
    const free = (bytes: number) => (total -= bytes);
    return {
      hasRoom: () => waiting + leaving < (total < most.all ? most.each : most.share),
      queue: (bytes) => {
        waiting += bytes;
        total += bytes;
      },
      send: () => {
        leaving += waiting;
        waiting = 0;
      },
      sent: () => {
        free(leaving);
        leaving = 0;
      },
      drop: () => {
        free(waiting + leaving);
        [waiting, leaving] = [0, 0];
      },
    };
  };
}
