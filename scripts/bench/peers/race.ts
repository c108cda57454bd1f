// Runs the job that every program of the race does, and measures it.
import { setTimeout as delay } from 'node:timers/promises';
import { percentile } from '../rows.ts';
import { type Contender, PEOPLE } from './contender.ts';
import type { PeerReceiver } from './receiver.ts';

export interface Sizes {
  /** Items that go in one by one. */
  submissions: number;
  /** Items that eight people decide. */
  decisions: number;
  /** Items that go the whole way, one after the other. */
  whole: number;
  /** Items that wait when the list is read. */
  listed: number;
  /** The time that filling the list may take, in ms. */
  fillMs: number;
}

/** One turn of one program; times are in ms, rates per second. */
export interface Turn {
  /** Accepted ones. */
  submissionsPerSecond: number;
  /** Submissions that were answered with an error. */
  refused: number;
  submitP50: number;
  submitP99: number;
  decisionsPerSecond: number;
  nextP50: number;
  /** Items that two people had before one of them decided. */
  handedTwice: number;
  /** From the submission to the webhook, through one person's next and decision. */
  wholeP50: number;
}

/** Connections of the pipeline. */
const CONNECTIONS = 16;
/** A webhook that takes longer counts as lost. */
const WEBHOOK_MS = 120_000;

let count = 0;
/** No two items of a bench are the same. */
const nextNumber = () => count++;

/** What waits at its end is what it did not decide. Throws when a webhook does not arrive. */
export async function runTurn(contender: Contender, receiver: PeerReceiver, sizes: Sizes): Promise<Turn> {
  const whole: number[] = [];
  for (let n = 0; n < sizes.whole; n += 1) whole.push(await goTheWholeWay(contender, receiver));
  const { seconds, times, refused } = await submitMany(contender, sizes.submissions);
  const review = await reviewTogether(contender, sizes.decisions);
  return {
    submissionsPerSecond: times.length / seconds,
    refused,
    submitP50: percentile(times, 0.5),
    submitP99: percentile(times, 0.99),
    ...review,
    wholeP50: percentile(whole, 0.5),
  };
}

/** Ms from the submission of an item until its webhook has arrived. The item that the person gets is the one that counts. */
async function goTheWholeWay(contender: Contender, receiver: PeerReceiver): Promise<number> {
  const from = performance.now();
  await contender.submit(nextNumber());
  const id = await contender.next(0);
  if (id === null || !(await contender.decide(0, id)))
    throw new Error(`${contender.name} did not let one person decide.`);
  const late = delay(WEBHOOK_MS, null, { ref: false });
  const at = await Promise.race([receiver.arrival(id), late]);
  if (at === null) throw new Error(`${contender.name} sent no webhook of item ${id} within two minutes.`);
  return at - from;
}

async function submitMany(
  contender: Contender,
  items: number,
): Promise<{ seconds: number; times: number[]; refused: number }> {
  const times: number[] = [];
  let refused = 0;
  let left = items;
  const from = performance.now();
  const connection = async () => {
    while (left-- > 0) {
      const startedAt = performance.now();
      if (await isAccepted(contender)) times.push(performance.now() - startedAt);
      else refused += 1;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  return { seconds: (performance.now() - from) / 1000, times, refused };
}

/** A program may fail under load; that is part of the race. */
const isAccepted = (contender: Contender): Promise<boolean> =>
  contender.submit(nextNumber()).then(
    () => true,
    () => false,
  );

/** All people at once take and decide until so many are decided, or none waits. */
async function reviewTogether(
  contender: Contender,
  decisions: number,
): Promise<Pick<Turn, 'decisionsPerSecond' | 'nextP50' | 'handedTwice'>> {
  const holders = new Map<string, Set<number>>();
  const times: number[] = [];
  let decided = 0;
  const from = performance.now();
  const work = async (_: unknown, person: number) => {
    while (decided < decisions) {
      const startedAt = performance.now();
      const id = await contender.next(person);
      times.push(performance.now() - startedAt);
      if (id === null) return;
      holders.set(id, (holders.get(id) ?? new Set()).add(person));
      if (await contender.decide(person, id)) decided += 1;
    }
  };
  await Promise.all(Array.from({ length: PEOPLE }, work));
  return {
    decisionsPerSecond: decided / ((performance.now() - from) / 1000),
    nextP50: percentile(times, 0.5),
    handedTwice: [...holders.values()].filter(({ size }) => size > 1).length,
  };
}

/** Submits until so many wait, or the time is up; returns how many were added. */
export async function fill(contender: Contender, { missing, ms }: { missing: number; ms: number }): Promise<number> {
  const until = performance.now() + ms;
  let added = 0;
  const connection = async () => {
    while (added < missing && performance.now() < until) if (await isAccepted(contender)) added += 1;
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  return added;
}

/** The median of this many reads of the list, in ms; the first one warms up. */
export async function timeList(contender: Contender, reads: number): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n <= reads; n += 1) {
    const startedAt = performance.now();
    await contender.list();
    if (n > 0) times.push(performance.now() - startedAt);
  }
  return percentile(times, 0.5);
}
