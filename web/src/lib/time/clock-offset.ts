// Estimates how far the server's clock is ahead of this browser's, within the bounds every answer proves.

/** An answer stated a server time in [from, to] (ms); it was requested at `sentAt` and read at `receivedAt` (local ms). */
export interface TimeProof {
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
