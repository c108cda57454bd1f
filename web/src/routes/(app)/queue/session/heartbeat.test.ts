// The heartbeat renews the lease of the open item while its user works: never for a lost or decided item, and never over a
// decision.
import { describe, expect, it, vi } from 'vitest';
import { ReviewFixture, stage } from './fixtures/review-page.fixture.ts';

const fixture = new ReviewFixture();
/** An active user, with a third of the lease gone. */
const AT_WORK = { visible: true, inputAt: Infinity };
const THIRD_MS = 50_000;
const renewals = () => fixture.server.requests.filter((line) => line.includes('renew'));

describe('heartbeat', () => {
  it('restores no lost claim when its answer is late', async () => {
    const page = await fixture.openWithClaim();
    await vi.advanceTimersByTimeAsync(THIRD_MS);
    const old = structuredClone(fixture.server.of('one'));
    fixture.server.held.add('renew');
    const heartbeat = page.reviewSession.sendHeartbeat(AT_WORK);
    fixture.server.takenBy('one', 'Ana');
    fixture.receive(page, 'one', 'item.claimed');
    expect(stage(page.reviewSession)).toBe('held');
    // The answer was written before Ana claimed the item.
    Object.assign(fixture.server.of('one'), old);
    fixture.server.releaseHeld();
    await heartbeat;
    expect([stage(page.reviewSession), page.reviewSession.item.lost]).toEqual(['held', true]);
  });

  it('is not sent for an item the user has decided: the answer was lost, and reading the item shows the decision', async () => {
    const page = await fixture.openWithClaim({ flow: false });
    fixture.server.outcomes.set('decision', 'lost').set('GET /api/items/one', 'down');
    expect(await page.reviewSession.decide('approve')).toBe(false);
    expect(stage(page.reviewSession)).toBe('mine');
    fixture.server.outcomes.clear();
    fixture.receive(page, 'one', 'item.decided');
    await vi.waitFor(() => expect(stage(page.reviewSession)).toBe('decided'));
    expect([page.reviewSession.item.grant, page.reviewSession.item.lost]).toEqual([null, false]);
    await vi.advanceTimersByTimeAsync(THIRD_MS);
    await page.reviewSession.sendHeartbeat(AT_WORK);
    expect(renewals()).toHaveLength(0);
  });

  it('is the last one with this fence when refused, and the present state is read', async () => {
    const page = await fixture.openWithClaim();
    await vi.advanceTimersByTimeAsync(THIRD_MS);
    // The page receives no event.
    fixture.server.takenBy('one', 'Ana');
    await page.reviewSession.sendHeartbeat(AT_WORK);
    await vi.waitFor(() => expect(stage(page.reviewSession)).toBe('held'));
    await page.reviewSession.sendHeartbeat(AT_WORK);
    expect([renewals().length, page.reviewSession.item.lost]).toEqual([1, true]);
  });

  it('tries again after the server was down', async () => {
    const { reviewSession } = await fixture.openWithClaim();
    await vi.advanceTimersByTimeAsync(THIRD_MS);
    fixture.server.outcomes.set('renew', 503);
    await reviewSession.sendHeartbeat(AT_WORK);
    fixture.server.outcomes.clear();
    await reviewSession.sendHeartbeat(AT_WORK);
    expect([renewals().length, stage(reviewSession)]).toEqual([2, 'mine']);
  });

  it('QU2: is not sent while a decision is in flight, and a late one overwrites none', async () => {
    const { reviewSession } = await fixture.openWithClaim({ flow: false });
    await vi.advanceTimersByTimeAsync(THIRD_MS);
    fixture.server.held.add('renew').add('decision');
    const heartbeat = reviewSession.sendHeartbeat(AT_WORK);
    const deciding = reviewSession.decide('approve');
    fixture.server.held.delete('renew');
    fixture.server.releaseHeldMatching('renew');
    await heartbeat;
    expect([reviewSession.item.saving, stage(reviewSession)]).toEqual(['approve', 'loading']);
    await reviewSession.sendHeartbeat(AT_WORK);
    expect(renewals()).toHaveLength(1);
    fixture.server.releaseHeld();
    expect(await deciding).toBe(true);
  });
});
