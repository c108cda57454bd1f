// The lease of the item on show, renewed while its reader works: never for what is gone or decided, and never over a decision.
import { describe, expect, it, vi } from 'vitest';
import { ReviewFixture, stage } from './review-page.fixture.ts';

const fixture = new ReviewFixture();
/** A reader at work, and a lease of which a third is gone. */
const AT_WORK = { visible: true, inputAt: Infinity };
const THIRD_MS = 50_000;
const renewals = () => fixture.server.requests.filter((line) => line.includes('renew'));

describe('a heartbeat', () => {
  it('that comes late brings no lost claim back', async () => {
    const page = await fixture.openWithClaim();
    await vi.advanceTimersByTimeAsync(THIRD_MS);
    const old = structuredClone(fixture.server.of('one'));
    fixture.server.held.add('renew');
    const heartbeat = page.reviewSession.sendHeartbeat(AT_WORK);
    fixture.server.takenBy('one', 'Ana');
    fixture.receive(page, 'one', 'item.claimed');
    expect(stage(page.reviewSession)).toBe('held');
    // It was answered before Ana took it.
    Object.assign(fixture.server.of('one'), old);
    fixture.server.releaseHeld();
    await heartbeat;
    expect([stage(page.reviewSession), page.reviewSession.item.lost]).toEqual(['held', true]);
  });

  it('is not sent for what the reader has decided: the answer never came, and reading the item tells', async () => {
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

  it('that is refused is the last one with this fence, and what is true is read', async () => {
    const page = await fixture.openWithClaim();
    await vi.advanceTimersByTimeAsync(THIRD_MS);
    // The page hears nothing of it.
    fixture.server.takenBy('one', 'Ana');
    await page.reviewSession.sendHeartbeat(AT_WORK);
    await vi.waitFor(() => expect(stage(page.reviewSession)).toBe('held'));
    await page.reviewSession.sendHeartbeat(AT_WORK);
    expect([renewals().length, page.reviewSession.item.lost]).toEqual([1, true]);
  });

  it('that finds the server down tries again', async () => {
    const { reviewSession } = await fixture.openWithClaim();
    await vi.advanceTimersByTimeAsync(THIRD_MS);
    fixture.server.outcomes.set('renew', 503);
    await reviewSession.sendHeartbeat(AT_WORK);
    fixture.server.outcomes.clear();
    await reviewSession.sendHeartbeat(AT_WORK);
    expect([renewals().length, stage(reviewSession)]).toEqual([2, 'mine']);
  });

  it('QU2: is not sent while a decision is on its way, and one that is late un-paints none', async () => {
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
