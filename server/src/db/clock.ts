// Time and ids are passed in, so that rules can be tested in milliseconds and nothing reads a clock by itself.
import { v7 } from 'uuid';

export interface Clock {
  now(): Date;
}

export interface Ids {
  /** A new UUID, version 7: ids made later sort later. */
  uuid(): string;
}

export const systemClock: Clock = { now: () => new Date() };
export const uuidV7: Ids = { uuid: () => v7() };
