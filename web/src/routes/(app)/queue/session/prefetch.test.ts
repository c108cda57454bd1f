// The next item is prefetched, and never shown in an outdated version.
import { describe, expect, it, vi } from 'vitest';
import { ReviewFixture } from './fixtures/review-page.fixture.ts';

const fixture = new ReviewFixture();

describe('prefetch', () => {
  it('reads the next item and never claims it', async () => {
    const { reviewSession } = await fixture.openWithClaim();
    expect(reviewSession.prefetched?.id).toBe('two');
    expect(fixture.claims).toEqual(['POST /api/items/one/claim']);
  });

  it.each(['item.claimed', 'item.decided'] as const)(
    'moves on to another item when the predicted one is gone: %s',
    async (type) => {
      const all = await fixture.openWithClaim();
      if (type === 'item.claimed') fixture.server.takenBy('two', 'Ana');
      else fixture.server.decidedBy('two', 'Ana');
      fixture.receive(all, 'two', type);
      expect(all.reviewSession.prefetchedAfter('one')).toBeNull();
      all.reviewSession.prefetchNext(true);
      await vi.advanceTimersByTimeAsync(150);
      expect(all.reviewSession.prefetchedAfter('one')?.id).toBe('three');
    },
  );

  it('reads a changed item again, and never shows the old version', async () => {
    const { reviewSession, queue } = await fixture.openWithClaim();
    fixture.server.of('two').detail = { ...fixture.server.of('two').detail, version: 7, suggestion: 'Newer' };
    await queue.resync();
    expect(reviewSession.prefetchedAfter('one')).toBeNull();
    reviewSession.prefetchNext(true);
    await vi.advanceTimersByTimeAsync(150);
    expect(reviewSession.prefetchedAfter('one')?.suggestion).toBe('Newer');
  });

  it('has one request at a time, aborted when the prediction changes', async () => {
    const all = await fixture.open();
    await all.reviewSession.claim('one');
    fixture.server.held.add('GET /api/items/two');
    all.reviewSession.prefetchNext(true);
    await vi.advanceTimersByTimeAsync(150);
    fixture.server.takenBy('two', 'Ana');
    fixture.receive(all, 'two', 'item.claimed');
    all.reviewSession.prefetchNext(true);
    await vi.advanceTimersByTimeAsync(150);
    fixture.server.releaseHeld();
    await vi.advanceTimersByTimeAsync(0);
    expect(all.reviewSession.prefetched?.id).toBe('three');
  });

  it('pauses after a failure for 5 s, also when the clock of the device is set back', async () => {
    const { reviewSession } = await fixture.open();
    await reviewSession.claim('one');
    fixture.server.outcomes.set('GET /api/items/two', 'down');
    reviewSession.prefetchNext(true);
    await vi.advanceTimersByTimeAsync(150);
    expect(reviewSession.prefetched).toBeNull();
    fixture.server.outcomes.clear();
    vi.setSystemTime(Date.now() - 3_600_000);
    reviewSession.prefetchNext(true);
    await vi.advanceTimersByTimeAsync(4500);
    expect(reviewSession.prefetched).toBeNull();
    await vi.advanceTimersByTimeAsync(500);
    expect(reviewSession.prefetched?.id).toBe('two');
  });

  it.each([
    ['the page is hidden or not connected', true, false],
    ['the user stays on the decided item', false, true],
  ])('does not read while %s', async (_, flow, awake) => {
    const { reviewSession } = await fixture.open({ flow });
    await reviewSession.claim('one');
    reviewSession.prefetchNext(awake);
    await vi.advanceTimersByTimeAsync(500);
    expect([reviewSession.prefetched, fixture.server.requests.filter((line) => line === 'GET /api/items/two')]).toEqual(
      [null, []],
    );
  });
});
