// The memory limits for what clients occupy in a process, in one table with their reasons (MB1).
import { MemoryBudget, type MemoryLimits } from './memory-budget.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

/**
 * With the overhead of each, both together keep a process within 300 MB above its idle size. An owner has a tenth: two
 * batches of the maximum size, 5 MiB, with room for single items, or six pages of a list. Further requests wait: 64
 * connections with such batches are served two at a time. A stranger has eight messages of the maximum size, 256 KiB.
 */
const SHARES = { perProcess: 120 * MIB, perOwner: 12 * MIB, perStranger: 2 * MIB };

/** A waiting request occupies what Node has already read of its body, 64 KiB at most: 32 MiB in total. */
const WAITING = { waitingPerOwner: 128, waitingPerProcess: 512 };

/**
 * Bodies, from before their first byte is read until they have been handled. A body has 30 s to arrive, including its
 * wait.
 */
export const RECEIVED: MemoryLimits = { ...SHARES, ...WAITING, waitMs: 20_000, staleMs: 10_000 };

/** Responses, from before they are created until the client has received them. */
export const UNSENT: MemoryLimits = { ...SHARES, ...WAITING, waitMs: 5000, staleMs: 10_000 };

/**
 * Unauthenticated responses, pages and files, until the client has received them. Their content is in memory once: each
 * counts 4 KiB, like a request. 2,000 per address: 300 browsers of an office load a page at the same moment.
 */
export const ANONYMOUS: MemoryLimits = {
  ...{ perProcess: 32 * MIB, perOwner: 8 * MIB, perStranger: 8 * MIB },
  ...{ waitingPerOwner: 1000, waitingPerProcess: 4000, waitMs: 15_000, staleMs: 10_000 },
};

/** Bytes reserved for a response before it is created; its actual size counts from then on. */
export const EXPECTED = {
  /** A page of a list: no page contains more than `PAGE_BYTES` of content. */
  page: 2 * MIB,
  /** A single object: an item with everything that belongs to it. */
  one: 256 * KIB,
  /** Responses to changes, and unauthenticated ones. */
  small: 4 * KIB,
} as const;

/**
 * How large bodies are read (MB8): the first bytes immediately, the rest in batches, with a limit per turn of the event
 * loop. Reading a MiB takes about a millisecond, which is the delay for everyone else per turn.
 */
export const READING = { free: 64 * KIB, batch: 256 * KIB, perTurn: 4 } as const;

/** All budgets of a process. */
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
