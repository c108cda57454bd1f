// Where a text falls between 0 and 1: the same text always at the same point, all of them evenly.
import { createHash } from 'node:crypto';

/** By the first 32 bits of its SHA-256; below 1. */
export const hashToUnit = (text: string): number =>
  createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32;
