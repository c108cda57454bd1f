// Measures the data that sockets have not read yet, per connection and in total, so that memory stays bounded. Pure.

/**
 * Bytes that one connection may leave unread before the next packet closes it: its page reconnects and reads a
 * snapshot.
 */
export const MAX_UNSENT = 1024 * 1024;
/** Bytes that all connections may leave unread; above that, each may leave only this much. */
const MAX_UNSENT_TOTAL = 64 * 1024 * 1024;
const SHARE_UNSENT = 64 * 1024;

export interface Unsent {
  /**
   * Whether there is room for another packet. One packet always fits: a client that reads is never closed for a
   * packet's size.
   */
  hasRoom(): boolean;
  /** A packet was queued. */
  queue(bytes: number): void;
  /** Everything queued is in transit. */
  send(): void;
  /** The data in transit was sent. */
  sent(): void;
  /** The connection is closed, and its queue dropped. */
  drop(): void;
}

/** Returns a function that starts measuring another connection. */
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
