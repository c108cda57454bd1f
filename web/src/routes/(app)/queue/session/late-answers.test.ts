// Late, repeated and lost answers: the page shows the present state, and no typed text is lost.
import { describe, expect, it, vi } from 'vitest';
import { itemMessages } from '#lib/messages/item-messages.ts';
import { ReviewFixture, onShow, stage, type, type Page } from './fixtures/review-page.fixture.ts';
import { ME } from './fixtures/fake-review-server.fixture.ts';
import { itemStatusMessage } from '../item/item-status-message.ts';

const fixture = new ReviewFixture();

async function edited(page: Page) {
  type(page.reviewSession, 'Mine');
  await page.reviewSession.decide('edit', { output: 'Mine', reason: 'Wrong fact' });
  const recent = page.recentDecisions.of('one');
  if (recent === null) throw new Error('There is no decision to undo.');
  return recent;
}

describe('undo', () => {
  it('QU3: counts when its answer is lost, and restores the draft', async () => {
    const page = await fixture.openWithClaim();
    const recent = await edited(page);
    fixture.server.outcomes.set('undo', 'lost');
    expect(await page.reviewSession.undo(recent)).toBe(true);
    expect([page.reviewSession.item.id, stage(page.reviewSession), page.reviewSession.edit?.text]).toEqual([
      'one',
      'mine',
      'Mine',
    ]);
    expect([page.recentDecisions.of('one')?.state, page.reviewSession.failure]).toEqual(['undone', null]);
  });

  it('QU3: is found to have had effect by Retry, which does not report an expired window', async () => {
    const page = await fixture.openWithClaim();
    const recent = await edited(page);
    fixture.server.outcomes.set('undo', 'lost').set('GET /api/items/one', 'down');
    expect(await page.reviewSession.undo(recent)).toBe(false);
    // The refusal arrives, and the item cannot be read yet: the outcome is unknown.
    fixture.server.outcomes.delete('undo');
    page.reviewSession.failure?.retry?.();
    await vi.waitFor(() => expect(page.reviewSession.failure?.error).toMatchObject({ name: 'NetworkFailure' }));
    fixture.server.outcomes.clear();
    page.reviewSession.failure?.retry?.();
    await vi.waitFor(() => expect([page.reviewSession.item.id, stage(page.reviewSession)]).toEqual(['one', 'mine']));
    expect([page.recentDecisions.of('one')?.state, page.drafts.read('one')?.text]).toEqual(['undone', 'Mine']);
  });

  it('LC2: names its decision, so that it is refused where the item has a later one', async () => {
    const page = await fixture.openWithClaim();
    const recent = await edited(page);
    const stored = fixture.server.of('one');
    const later = new Date(Date.parse(stored.detail.undo_until ?? '') + 5_000).toISOString();
    stored.detail = { ...stored.detail, undo_until: later };
    expect(await page.reviewSession.undo({ ...recent, undoUntil: recent.undoUntil ?? 0 })).toBe(false);
    expect(fixture.server.of('one').detail).toMatchObject({ status: 'approved', undo_until: later });
  });

  it('succeeds when only the new claim fails, and Retry only repeats the claim', async () => {
    const page = await fixture.openWithClaim();
    const recent = await edited(page);
    fixture.server.outcomes.set('POST /api/items/one/claim', 'down');
    expect(await page.reviewSession.undo(recent)).toBe(false);
    expect([page.recentDecisions.of('one')?.state, page.drafts.read('one')?.text]).toEqual(['undone', 'Mine']);
    fixture.server.outcomes.clear();
    page.reviewSession.failure?.retry?.();
    await vi.waitFor(() => expect([page.reviewSession.item.id, stage(page.reviewSession)]).toEqual(['one', 'mine']));
    expect(fixture.server.requests.filter((line) => line.includes('undo'))).toHaveLength(1);
  });
});

it('shows the accepted decision among the recent ones when an earlier try had effect', async () => {
  const { reviewSession, recentDecisions } = await fixture.openWithClaim();
  fixture.server.outcomes.set('decision', 'lost').set('GET /api/items/one', 'down');
  await reviewSession.decide('approve');
  fixture.server.outcomes.clear();
  expect(await reviewSession.decide('reject', { reason: 'Wrong fact' })).toBe(true);
  expect(recentDecisions.of('one')).toMatchObject({ action: 'approve', reason: null, state: 'saved' });
});

it('QU4: a return whose event arrives before its answer is not shown as returned by somebody else', async () => {
  const page = await fixture.open({ flow: false });
  fixture.server.add('four', { status: 'escalated' });
  await page.reviewSession.claim('four');
  // Only the answer is late: the server has processed it, and its event arrives first.
  fixture.server.slow.add('decision');
  const returning = page.reviewSession.decide('return');
  await vi.waitFor(() => expect(fixture.server.of('four').detail.status).toBe('queued'));
  fixture.receive(page, 'four', 'item.queued');
  fixture.server.releaseHeld();
  expect(await returning).toBe(true);
  const { detail, lost } = page.reviewSession.item;
  if (detail === null) throw new Error('The item is open.');
  expect(stage(page.reviewSession)).toBe('free');
  expect(itemStatusMessage({ detail, stage: 'free', me: ME.id, draft: false, lost, passedOn: false })).toBe(
    itemMessages.claimStatus.free,
  );
});

describe('QU4: an answer that arrives after newer events', () => {
  async function returned() {
    const page = await fixture.open({ flow: false });
    fixture.server.add('four', { status: 'escalated' });
    await page.reviewSession.claim('four');
    fixture.server.slow.add('decision');
    const returning = page.reviewSession.decide('return');
    await vi.waitFor(() => expect(fixture.server.of('four').detail.status).toBe('queued'));
    fixture.receive(page, 'four', 'item.queued');
    return { page, returning };
  }

  it('overwrites none of them', async () => {
    const { page, returning } = await returned();
    const old = structuredClone(fixture.server.of('four').detail);
    fixture.server.takenBy('four', 'Ana');
    fixture.receive(page, 'four', 'item.claimed');
    // Only the events show the change.
    fixture.server.outcomes.set('GET /api/items/four', 'down');
    fixture.server.releaseHeld();
    expect([await returning, stage(page.reviewSession), page.reviewSession.item.detail?.claim?.name]).toEqual([
      true,
      'held',
      'Ana',
    ]);
    page.reviewSession.item.replace(old);
    expect(stage(page.reviewSession)).toBe('held');
  });

  it("reads the item again when the events' content is missing", async () => {
    const { page, returning } = await returned();
    fixture.server.outcomes.set('GET /api/items/four', 'down');
    fixture.server.decidedBy('four', 'Ana');
    fixture.receive(page, 'four', 'item.decided');
    await vi.advanceTimersByTimeAsync(0);
    fixture.server.outcomes.clear();
    fixture.server.releaseHeld();
    await returning;
    await vi.waitFor(() => expect(stage(page.reviewSession)).toBe('decided'));
  });
});

it('changes nothing on the open item when it extends the lease of another one', async () => {
  const { reviewSession } = await fixture.openWithClaim();
  fixture.server.held.add('renew');
  const extending = reviewSession.extend();
  await reviewSession.peek('three');
  fixture.server.releaseHeld();
  expect(await extending).toBe(false);
  expect(onShow(reviewSession)).toEqual(['three', 'three']);
});

describe('QU4: an item', () => {
  it('is read again when it changed during the read', async () => {
    const page = await fixture.open();
    const old = structuredClone(fixture.server.of('one').detail);
    fixture.server.stale.push(Response.json(old));
    fixture.server.held.add('GET /api/items/one');
    const peeking = page.reviewSession.peek('one');
    fixture.server.decidedBy('one', 'Ana');
    fixture.receive(page, 'one', 'item.decided');
    fixture.server.releaseHeld();
    await peeking;
    expect([...onShow(page.reviewSession), stage(page.reviewSession)]).toEqual(['one', 'one', 'decided']);
  });

  it('is not shown as claimed by me when it was taken over before the claim was answered', async () => {
    const page = await fixture.open();
    await page.reviewSession.peek('one');
    const { detail } = fixture.server.of('one');
    const late = { ...detail, version: 2, claim: { user_id: 'me', name: 'Me', expires_at: '2100-01-01T00:00:00Z' } };
    fixture.server.stale.push(Response.json({ item: late, fence: 1, expires_at: '2100-01-01T00:00:00Z' }));
    fixture.server.held.add('/claim');
    const claiming = page.reviewSession.claim('one');
    fixture.server.expireClaim('one');
    fixture.server.takenBy('one', 'Ana');
    fixture.receive(page, 'one', 'item.claimed');
    fixture.server.releaseHeld();
    await claiming;
    await vi.waitFor(() => expect(stage(page.reviewSession)).toBe('held'));
  });

  it('is no longer claimed by me when it was taken over and released during an interruption', async () => {
    const { reviewSession } = await fixture.openWithClaim();
    fixture.server.takenBy('one', 'Ana');
    fixture.server.expireClaim('one');
    reviewSession.resync();
    await vi.waitFor(() => expect(reviewSession.item.lost).toBe(true));
    expect(stage(reviewSession)).toBe('ended');
  });
});

it('I1: a second try of a decision whose answer was lost reads the item first, and is not sent again', async () => {
  const { reviewSession, recentDecisions } = await fixture.openWithClaim();
  fixture.server.outcomes.set('decision', 'lost').set('GET /api/items/one', 'down');
  expect(await reviewSession.decide('approve')).toBe(false);
  fixture.server.outcomes.clear();
  expect(await reviewSession.decide('approve')).toBe(true);
  expect(recentDecisions.of('one')).toMatchObject({ action: 'approve', state: 'saved' });
  expect(fixture.server.requests.filter((line) => line.endsWith('/decision'))).toHaveLength(1);
});

describe('QU3: an item that was assigned but whose answer was lost', () => {
  /** The server assigned `two`; the event has arrived, the answer has not. */
  async function lost(page: Page) {
    fixture.server.outcomes.set('claim-next', 'lost');
    await page.reviewSession.next();
    expect(page.reviewSession.failure?.error).toMatchObject({ name: 'NetworkFailure' });
    fixture.server.outcomes.clear();
  }

  it('is claimed first when the user asks again', async () => {
    const page = await fixture.open();
    fixture.server.picks = 'two';
    await lost(page);
    fixture.receive(page, 'two', 'item.claimed');
    expect(await page.reviewSession.next()).toBe(true);
    expect([page.reviewSession.item.id, stage(page.reviewSession)]).toEqual(['two', 'mine']);
    expect(fixture.server.of('one').detail.claim).toBeNull();
  });

  it('is neither what the user held before nor what somebody else holds by now', async () => {
    const page = await fixture.open();
    await page.reviewSession.claim('three');
    type(page.reviewSession, 'Kept for later');
    await page.reviewSession.peek('one');
    fixture.server.picks = 'two';
    await lost(page);
    fixture.receive(page, 'two', 'item.claimed');
    fixture.server.takenBy('two', 'Ana');
    fixture.server.picks = 'one';
    expect(await page.reviewSession.next()).toBe(true);
    expect([page.reviewSession.item.id, stage(page.reviewSession)]).toEqual(['one', 'mine']);
  });
});

describe('a page that closed before its decision was answered', () => {
  it('finds no unsent draft when it opens again', async () => {
    const page = await fixture.openWithClaim();
    page.reviewSession.startEdit();
    if (page.reviewSession.edit) page.reviewSession.edit.text = 'Mine';
    page.reviewSession.edit?.changed();
    page.drafts.saveNotes('one', { note: 'Seen', own: 'So it is' });
    fixture.server.slow.add('decision');
    void page.reviewSession.decide('edit', { output: 'Mine', reason: 'So it is', note: 'Seen' });
    await vi.waitFor(() => expect(fixture.server.decisions).toHaveLength(1));

    const reopenedPage = await fixture.open();
    await reopenedPage.reviewSession.peek('one');
    expect([reopenedPage.drafts.read('one'), reopenedPage.drafts.notes('one')]).toEqual([null, { note: '', own: '' }]);
  });

  it('retains what was typed since, and the draft of an item somebody else decided', async () => {
    const page = await fixture.openWithClaim();
    fixture.server.slow.add('decision');
    void page.reviewSession.decide('reject', { reason: 'x' });
    await vi.waitFor(() => expect(fixture.server.decisions).toHaveLength(1));
    page.drafts.save('one', { text: 'Later', note: '', reason: null, savedAt: new Date(0).toISOString() });

    const reopenedPage = await fixture.open();
    await reopenedPage.reviewSession.peek('one');
    expect(reopenedPage.drafts.read('one')?.text).toBe('Later');
  });
});
