// Maps a text to a number between 0 and 1: always the same one, evenly distributed.
import { createHash } from 'node:crypto';

/** Uses the first 32 bits of the SHA-256; always below 1. */
export const hashToUnit = (text: string): number =>
  createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32;
