// @vitest-environment happy-dom
// NO8: what the title of the tab counts, on a page that follows the queue and on any other, and the marks of the tab.
import type { DomainEvent } from '@countersign/shared/schemas/parts/events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { live } from '../live/connection.svelte.ts';
import { markTab } from './mark-tab.ts';
import { followCount } from './waiting-counter.ts';
import { pageTitle, waiting } from './waiting.svelte.ts';

beforeEach(() => {
  vi.useFakeTimers();
  waiting.live = waiting.read = null;
  waiting.shown = true;
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe('NO8: the title', () => {
  it.each([
    ['nothing known', { live: null, read: null }, 'Queue · Countersign'],
    ['the live queue', { live: 3, read: 7 }, '(3) Queue · Countersign'],
    ['nothing that waits', { live: 0, read: 7 }, 'Queue · Countersign'],
    ['another page', { live: null, read: 7 }, '(7) Queue · Countersign'],
    ['more than the server counts', { live: Infinity, read: null }, '(10,000+) Queue · Countersign'],
    ['the count switched off', { live: 3, read: 7, shown: false }, 'Queue · Countersign'],
  ])('counts with %s', (_, known, title) => {
    Object.assign(waiting, known);
    expect(pageTitle('Queue')).toBe(title);
  });

  it('is on until it is switched off, in this browser', () => {
    expect(localStorage.getItem('countersign.queue.notice.title')).toBe('on');
    waiting.shown = false;
    expect(localStorage.getItem('countersign.queue.notice.title')).toBe('off');
  });
});

describe('NO8: the number on other pages', () => {
  let counts = { available: 0, mine: 0, escalated: 0, all: 0 };
  const requests: string[] = [];
  let received: (event: DomainEvent) => void = () => undefined;
  let resync: () => unknown = () => undefined;

  beforeEach(() => {
    requests.length = 0;
    vi.stubGlobal('fetch', (path: string) => {
      requests.push(path);
      const page = { data: [], next_cursor: null, until: null, seqs: {}, counts };
      return Promise.resolve(new Response(JSON.stringify(page), { headers: { 'content-type': 'application/json' } }));
    });
    vi.spyOn(live, 'on').mockImplementation((_, listener) => {
      received = listener;
      return () => undefined;
    });
    vi.spyOn(live, 'onResync').mockImplementation((listener) => {
      resync = () => listener(null);
      return () => undefined;
    });
  });
  const settle = (ms: number) => vi.advanceTimersByTimeAsync(ms);
  const event = (type: DomainEvent['type']) => received({ type } as DomainEvent);

  it('is what the user could claim and what the user holds, read at once, after events and at a resync', async () => {
    counts = { available: 4, mine: 1, escalated: 9, all: 20 };
    const stop = followCount();
    await settle(0);
    expect(waiting.count).toBe(5);
    expect(requests).toEqual(['/api/queue?view=mine&limit=1']);
    counts = { ...counts, available: 3 };
    event('item.claimed');
    event('item.decided');
    await settle(2000);
    expect([waiting.count, requests.length]).toEqual([4, 2]);
    counts = { ...counts, available: 0, mine: 0 };
    await resync();
    expect([waiting.count, requests.length]).toEqual([0, 3]);
    stop();
  });

  it('is read for a hidden tab too, less often, and never for deliveries', async () => {
    vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
    const stop = followCount();
    await settle(0);
    event('delivery.changed');
    await settle(60_000);
    expect(requests).toHaveLength(1);
    event('item.queued');
    await settle(1000);
    expect(requests).toHaveLength(2);
    event('item.queued');
    await settle(8000);
    expect(requests).toHaveLength(2);
    await settle(1000);
    expect(requests).toHaveLength(3);
    stop();
  });

  it('is without end where the server stopped counting, and stays when an answer fails', async () => {
    counts = { available: 10_001, mine: 2, escalated: 0, all: 10_001 };
    const stop = followCount();
    await settle(0);
    expect(waiting.count).toBe(Infinity);
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('offline')));
    event('item.queued');
    await settle(10_000);
    expect(waiting.count).toBe(Infinity);
    stop();
  });

  it('QU4: is read again where the reading at a resync failed, as soon as the server asked', async () => {
    counts = { available: 4, mine: 1, escalated: 0, all: 5 };
    const stop = followCount();
    await settle(0);
    const answer = globalThis.fetch;
    const problem = { status: 503, code: 'unavailable', title: 'Busy', detail: '' };
    const busy = vi.fn(() => Promise.resolve(Response.json(problem, { status: 503, headers: { 'retry-after': '1' } })));
    vi.stubGlobal('fetch', busy);
    await resync();
    expect([waiting.count, busy.mock.calls.length]).toEqual([5, 1]);
    await settle(3000);
    expect(busy.mock.calls.length).toBeGreaterThan(1);
    counts = { ...counts, available: 2 };
    vi.stubGlobal('fetch', answer);
    await settle(3000);
    expect(waiting.count).toBe(3);
    stop();
  });
});

describe('NO8: the marks of the tab', () => {
  it('changes the icon and the badge, and changes them back', () => {
    const badge = { set: vi.fn(() => Promise.resolve()), clear: vi.fn(() => Promise.reject(new Error('refused'))) };
    vi.stubGlobal('navigator', { setAppBadge: badge.set, clearAppBadge: badge.clear });
    document.head.innerHTML = '<link rel="icon" href="/base/favicon.svg" type="image/svg+xml" />';
    const icon = () => document.querySelector('link')?.getAttribute('href');
    markTab(3);
    expect(icon()).toBe('/base/favicon-waiting.svg');
    markTab(Infinity);
    markTab(0);
    expect(icon()).toBe('/base/favicon.svg');
    expect([badge.set.mock.calls, badge.clear.mock.calls]).toEqual([[[3], [undefined]], [[]]]);
    document.head.replaceChildren();
  });

  it('does without a badge', () => {
    vi.stubGlobal('navigator', {});
    expect(() => markTab(3)).not.toThrow();
  });
});
