// Answers that come late, twice or not at all: what is on show is what is true by then, and nothing typed goes with them.
import { describe, expect, it, vi } from 'vitest';
import { queueMessages } from '#lib/messages/queue-messages.ts';
import { ReviewFixture, onShow, stage, type, type Page } from './review-page.fixture.ts';
import { ME } from './fake-review-server.fixture.ts';
import { itemStatusMessage } from '../item/item-status-message.ts';

const fixture = new ReviewFixture();

async function edited(page: Page) {
  type(page.reviewSession, 'Mine');
  await page.reviewSession.decide('edit', { output: 'Mine', reason: 'Wrong fact' });
  const recent = page.recentDecisions.of('one');
  if (recent === null) throw new Error('There is nothing to take back.');
  return recent;
}

describe('undo', () => {
  it('QU3: whose answer is lost counts, and brings back what was typed', async () => {
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

  it('QU3: is found to have had effect by Retry, which says nothing of a window that passed', async () => {
    const page = await fixture.openWithClaim();
    const recent = await edited(page);
    fixture.server.outcomes.set('undo', 'lost').set('GET /api/items/one', 'down');
    expect(await page.reviewSession.undo(recent)).toBe(false);
    // The refusal comes through, and the item cannot be read yet: nobody knows.
    fixture.server.outcomes.delete('undo');
    page.reviewSession.failure?.retry?.();
    await vi.waitFor(() => expect(page.reviewSession.failure?.error).toMatchObject({ name: 'NetworkFailure' }));
    fixture.server.outcomes.clear();
    page.reviewSession.failure?.retry?.();
    await vi.waitFor(() => expect([page.reviewSession.item.id, stage(page.reviewSession)]).toEqual(['one', 'mine']));
    expect([page.recentDecisions.of('one')?.state, page.drafts.read('one')?.text]).toEqual(['undone', 'Mine']);
  });

  it('whose claim fails is undone, and Retry only asks for the claim', async () => {
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

it('the tray names the decision that stands, when an earlier try had landed', async () => {
  const { reviewSession, recentDecisions } = await fixture.openWithClaim();
  fixture.server.outcomes.set('decision', 'lost').set('GET /api/items/one', 'down');
  await reviewSession.decide('approve');
  fixture.server.outcomes.clear();
  expect(await reviewSession.decide('reject', { reason: 'Wrong fact' })).toBe(true);
  expect(recentDecisions.of('one')).toMatchObject({ action: 'approve', reason: null, state: 'saved' });
});

it('QU4: a return whose fact comes before its answer is not called an item that came back from somebody else', async () => {
  const page = await fixture.open({ flow: false });
  fixture.server.add('four', { status: 'escalated' });
  await page.reviewSession.claim('four');
  // Only the answer is late: the server has done it, and its fact is quicker.
  fixture.server.slow.add('decision');
  const returning = page.reviewSession.decide('return');
  await vi.waitFor(() => expect(fixture.server.of('four').detail.status).toBe('queued'));
  fixture.receive(page, 'four', 'item.queued');
  fixture.server.releaseHeld();
  expect(await returning).toBe(true);
  const { detail, lost } = page.reviewSession.item;
  if (detail === null) throw new Error('It is on show.');
  expect(stage(page.reviewSession)).toBe('free');
  expect(itemStatusMessage({ detail, stage: 'free', me: ME.id, draft: false, lost })).toBe(
    queueMessages.claimStatus.free,
  );
});

describe('QU4: an answer that comes after newer facts', () => {
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

  it('paints over none of them', async () => {
    const { page, returning } = await returned();
    const old = structuredClone(fixture.server.of('four').detail);
    fixture.server.takenBy('four', 'Ana');
    fixture.receive(page, 'four', 'item.claimed');
    // Nothing but the facts says so.
    fixture.server.outcomes.set('GET /api/items/four', 'down');
    fixture.server.releaseHeld();
    expect([await returning, stage(page.reviewSession), page.reviewSession.item.detail?.claim?.name]).toEqual([
      true,
      'held',
      'Ana',
    ]);
    page.reviewSession.item.reopened(old);
    expect(stage(page.reviewSession)).toBe('held');
  });

  it('has the item read again when what they told of is not here', async () => {
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

it('more time that was asked for another item than the one on show changes nothing there', async () => {
  const { reviewSession } = await fixture.openWithClaim();
  fixture.server.held.add('renew');
  const extending = reviewSession.extend();
  await reviewSession.peek('three');
  fixture.server.releaseHeld();
  expect(await extending).toBe(false);
  expect(onShow(reviewSession)).toEqual(['three', 'three']);
});

describe('QU4: an item', () => {
  it('that changed while it was being read is read once more', async () => {
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

  it('that was taken over while the answer to its claim was on its way is not shown as mine', async () => {
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

  it('that was taken over and given back during an interruption is no longer mine', async () => {
    const { reviewSession } = await fixture.openWithClaim();
    fixture.server.takenBy('one', 'Ana');
    fixture.server.expireClaim('one');
    reviewSession.resync();
    await vi.waitFor(() => expect(reviewSession.item.lost).toBe(true));
    expect(stage(reviewSession)).toBe('ended');
  });
});

it('I1: a second try of a decision whose answer was lost looks first, and is not sent again', async () => {
  const { reviewSession, recentDecisions } = await fixture.openWithClaim();
  fixture.server.outcomes.set('decision', 'lost').set('GET /api/items/one', 'down');
  expect(await reviewSession.decide('approve')).toBe(false);
  fixture.server.outcomes.clear();
  expect(await reviewSession.decide('approve')).toBe(true);
  expect(recentDecisions.of('one')).toMatchObject({ action: 'approve', state: 'saved' });
  expect(fixture.server.requests.filter((line) => line.endsWith('/decision'))).toHaveLength(1);
});

describe('QU3: an item that was given and whose answer was lost', () => {
  /** The server gave `two`; the fact has come, the answer has not. */
  async function lost(page: Page) {
    fixture.server.outcomes.set('claim-next', 'lost');
    await page.reviewSession.next();
    expect(page.reviewSession.failure?.error).toMatchObject({ name: 'NetworkFailure' });
    fixture.server.outcomes.clear();
  }

  it('comes first when the reader asks again', async () => {
    const page = await fixture.open();
    fixture.server.picks = 'two';
    await lost(page);
    fixture.receive(page, 'two', 'item.claimed');
    expect(await page.reviewSession.next()).toBe(true);
    expect([page.reviewSession.item.id, stage(page.reviewSession)]).toEqual(['two', 'mine']);
    expect(fixture.server.of('one').detail.claim).toBeNull();
  });

  it('is not what the reader held before, nor what somebody else has by now', async () => {
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

describe('a page that left before its decision was answered', () => {
  it('finds nothing unsent when it comes again', async () => {
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

  it('keeps what was typed since, and what somebody else decided otherwise', async () => {
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
