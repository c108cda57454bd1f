// What clients may make a process hold: one table of numbers, all with their reasons (MB1).
import { MemoryBudget, type MemoryLimits } from './memory-budget.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

/**
 * With what stays of each while it is held, both together keep a process within 300 MB of what it has when it is idle.
 * An owner has a tenth: two batches of the largest size, 5 MiB, with room beside them for single items, or six pages of a list.
 * More than that waits for its turn: 64 connections with such batches are served two by two. A stranger has eight messages of
 * the largest size, 256 KiB.
 */
const SHARES = { perProcess: 120 * MIB, perOwner: 12 * MIB, perStranger: 2 * MIB };

/** Who waits holds what Node has read of the body already, 64 KiB at most: 32 MiB in all. */
const WAITING = { waitingPerOwner: 128, waitingPerProcess: 512 };

/** Bodies from before their first byte is read until they have been handled. A body has 30 s to arrive, its wait included. */
export const RECEIVED: MemoryLimits = { ...SHARES, ...WAITING, waitMs: 20_000, staleMs: 10_000 };

/** Answers from before they are made until the client has taken them. */
export const UNSENT: MemoryLimits = { ...SHARES, ...WAITING, waitMs: 5000, staleMs: 10_000 };

/**
 * Answers to nobody in particular, pages and files, until the client has taken them. Their content is in memory once: each counts
 * as the request that it is, 4 KiB. 2,000 of an address: 300 browsers of an office load a page at the same moment.
 */
export const ANONYMOUS: MemoryLimits = {
  ...{ perProcess: 32 * MIB, perOwner: 8 * MIB, perStranger: 8 * MIB },
  ...{ waitingPerOwner: 1000, waitingPerProcess: 4000, waitMs: 15_000, staleMs: 10_000 },
};

/** Bytes that an answer is given room for before it is made; what it really has counts from then on. */
export const EXPECTED = {
  /** A page of a list: more than `PAGE_BYTES` of content is in no page. */
  page: 2 * MIB,
  /** What is read one by one: an item with all that belongs to it. */
  one: 256 * KIB,
  /** What changes answer, and what anybody may ask for. */
  small: 4 * KIB,
} as const;

/**
 * How large bodies are read (MB8): the first bytes at once, and the rest by portions, so many in one turn of the event loop. To
 * read a MiB takes about a millisecond, which is what all of them together cost everybody else in each turn.
 */
export const READING = { free: 64 * KIB, portion: 256 * KIB, perTurn: 4 } as const;

/** All counts of a process. */
export interface Memory {
  received: MemoryBudget;
  unsent: MemoryBudget;
  anonymous: MemoryBudget;
}

export const createMemory = (received = RECEIVED, unsent = UNSENT, anonymous = ANONYMOUS): Memory => ({
  received: new MemoryBudget(received),
  unsent: new MemoryBudget(unsent),
  anonymous: new MemoryBudget(anonymous),
});
