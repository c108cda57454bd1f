// The pool follows the project: every event that begins or ends a claim, and all of its lists after an interruption.
import type { DomainEvent } from '@countersign/shared/schemas/parts/events';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { live } from '#lib/live/connection.svelte.ts';
import { PoolFeed } from './pool-feed.svelte.ts';

const SPACING_MS = 2000;
/** How often each list was requested. */
let asked: { members: number; invites: number; offers: number };
let hear: (event: object) => void;
let resync: () => unknown;
let stop: () => void;
/** Whether the service is too busy to answer. */
let busy: boolean;
let feed: PoolFeed;

beforeEach(async () => {
  vi.useFakeTimers();
  busy = false;
  asked = { members: 0, invites: 0, offers: 0 };
  vi.stubGlobal('fetch', (address: string) => {
    const list = new URL(address, 'http://here.test').pathname.split('/').at(-1) as keyof typeof asked;
    asked[list] += 1;
    const problem = { status: 503, code: 'unavailable', title: 'Busy', detail: '' };
    return Promise.resolve(
      busy ? Response.json(problem, { status: 503 }) : Response.json({ data: [], next_cursor: null }),
    );
  });
  vi.spyOn(live, 'on').mockImplementation((_: string, listener: unknown) => {
    hear = listener as typeof hear;
    return () => undefined;
  });
  vi.spyOn(live, 'onResync').mockImplementation((listener) => {
    resync = () => listener(null);
    return () => undefined;
  });
  feed = new PoolFeed('p');
  stop = feed.follow();
  await vi.advanceTimersByTimeAsync(SPACING_MS);
});
afterEach(() => {
  stop();
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const settled = () => vi.advanceTimersByTimeAsync(SPACING_MS);
const was = (claimed: boolean) => ({ status: 'queued', claimed });
/** An event of an item that is not new. */
const later = (type: DomainEvent['type'], more: object = {}) => ({ project_id: 'p', type, version: 3, ...more });

it.each([
  later('item.claimed'),
  later('claim.released'),
  later('claim.expired'),
  later('item.decided'),
  later('item.queued'),
  later('item.escalated'),
  later('item.withdrawn', { was: was(true) }),
  later('item.expired', { was: was(true) }),
])('counts the held items again after $type', async (event) => {
  hear(event);
  await settled();
  expect(asked.members).toBe(2);
});

it.each([
  later('item.queued', { version: 1 }),
  later('item.escalated', { version: 1 }),
  later('item.withdrawn', { was: was(false) }),
  later('item.expired', { was: was(false) }),
  later('item.extended'),
  later('delivery.changed'),
  later('item.claimed', { project_id: 'another' }),
])('requests nothing for $type that begins and ends no claim here', async (event) => {
  hear(event);
  await settled();
  expect(asked.members).toBe(1);
});

it('requests the members once for many claims', async () => {
  for (let n = 0; n < 50; n += 1) hear(later('item.claimed'));
  await settled();
  hear(later('claim.released'));
  await settled();
  expect(asked.members).toBe(3);
});

it('QU4, QU12: reads every list that is shown again after an interruption', async () => {
  await Promise.all([feed.invites.load(), feed.offers.load()]);
  await resync();
  expect(asked).toEqual({ members: 2, invites: 2, offers: 2 });
});

it('QU4: reads each list again where that failed', async () => {
  await Promise.all([feed.invites.load(), feed.offers.load()]);
  busy = true;
  await resync();
  busy = false;
  await vi.advanceTimersByTimeAsync(15_000 + SPACING_MS);
  expect(asked).toEqual({ members: 3, invites: 3, offers: 3 });
});

it('QU4: requests nothing after an interruption that its viewer may not see', async () => {
  await resync();
  expect(asked).toEqual({ members: 2, invites: 0, offers: 0 });
});
