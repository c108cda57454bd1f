// The review session under every answer of the server: what it shows early is correct, and no typed text is lost.
import { describe, expect, it, vi } from 'vitest';
import { ReviewFixture, onShow, stage, type } from './fixtures/review-page.fixture.ts';
import { type Outcome } from './fixtures/fake-review-server.fixture.ts';

const fixture = new ReviewFixture();

describe('take-over', () => {
  it.each([
    ['stays on the item', 'one', 'one'],
    ['stays on another item the user moved to', 'two', 'two'],
  ])('I3: a refusal %s', async (_, turnedTo, expected) => {
    const { reviewSession } = await fixture.open();
    await reviewSession.peek('one');
    fixture.server.held.add('take-over');
    fixture.server.outcomes.set('take-over', { code: 'claim_lost', status: 409 });
    const taking = reviewSession.takeOver();
    if (turnedTo !== 'one') await reviewSession.peek(turnedTo);
    fixture.server.releaseHeld();
    expect(await taking).toBe(false);
    expect([reviewSession.item.id, reviewSession.item.detail?.id, reviewSession.failure]).toEqual([
      expected,
      expected,
      null,
    ]);
  });
});

describe('decide', () => {
  it('QU2: shows the next item at once, with actions disabled until the server granted it', async () => {
    const { reviewSession, recentDecisions, moved } = await fixture.openWithClaim();
    fixture.server.held.add('claim-next').add('decision');
    const deciding = reviewSession.decide('approve');
    expect([...onShow(reviewSession), stage(reviewSession)]).toEqual(['two', 'two', 'loading']);
    expect(recentDecisions.entries[0]).toMatchObject({ itemId: 'one', state: 'saving' });
    expect(await reviewSession.decide('approve')).toBe(false);
    fixture.server.held.delete('decision');
    fixture.server.releaseHeld();
    fixture.server.held.add('claim-next');
    await vi.advanceTimersByTimeAsync(0);
    expect(stage(reviewSession)).toBe('loading');
    expect(await reviewSession.decide('reject', { reason: 'x' })).toBe(false);
    fixture.server.releaseHeld();
    await deciding;
    expect([...onShow(reviewSession), stage(reviewSession)]).toEqual(['two', 'two', 'mine']);
    expect(fixture.server.decisions.map(({ id }) => id)).toEqual(['one']);
    expect(moved).toEqual(['one', 'two']);
  });

  it('LC4: requests the next claim when the decision is confirmed, never before', async () => {
    const { reviewSession } = await fixture.openWithClaim();
    fixture.server.held.add('decision');
    const deciding = reviewSession.decide('approve');
    await vi.advanceTimersByTimeAsync(5000);
    expect(fixture.claims).toHaveLength(1);
    fixture.server.releaseHeld();
    await deciding;
    expect(fixture.claims).toEqual(['POST /api/items/one/claim', 'POST /api/queue/claim-next']);
  });

  it('QU2: switches to another item when the server picked that, and notifies the page again', async () => {
    const { reviewSession, moved } = await fixture.openWithClaim();
    fixture.server.picks = 'three';
    await reviewSession.decide('approve');
    expect([...onShow(reviewSession), stage(reviewSession)]).toEqual(['three', 'three', 'mine']);
    expect(moved).toEqual(['one', 'two', 'three']);
  });

  it('leaves a prefetched item readable when its claim fails, with a way to try again', async () => {
    const { reviewSession } = await fixture.openWithClaim();
    fixture.server.outcomes.set('claim-next', 'down');
    await reviewSession.decide('approve');
    expect([...onShow(reviewSession), stage(reviewSession)]).toEqual(['two', 'two', 'free']);
    fixture.server.outcomes.clear();
    reviewSession.failure?.retry?.();
    await vi.waitFor(() => expect(stage(reviewSession)).toBe('mine'));
    expect(fixture.server.decisions).toHaveLength(1);
  });

  it('says so when the claim limit is reached (LC4)', async () => {
    const { reviewSession } = await fixture.open();
    fixture.server.outcomes.set('claim', { code: 'too_many_claims', status: 409 });
    expect(await reviewSession.next()).toBe(false);
    expect(reviewSession.failure?.error).toMatchObject({ code: 'too_many_claims' });
  });

  const FAILURES: [string, Outcome][] = [
    ['no answer arrives', 'down'],
    ['the session is over', { code: 'session_missing', status: 401 }],
    ['the rate limit is exceeded', { code: 'rate_limited', status: 429 }],
    ['the server fails', 500],
  ];
  it.each(FAILURES)('restores the item when %s, and Retry decides it once', async (_, outcome) => {
    const { reviewSession, recentDecisions, queue } = await fixture.openWithClaim();
    type(reviewSession, 'My own answer');
    fixture.server.outcomes.set('decision', outcome);
    fixture.server.outcomes.set('GET /api/items/one', outcome);
    expect(await reviewSession.decide('edit', { output: 'My own answer', reason: 'Wrong fact' })).toBe(false);
    expect([...onShow(reviewSession), stage(reviewSession), reviewSession.edit?.text]).toEqual([
      'one',
      'one',
      'mine',
      'My own answer',
    ]);
    expect([recentDecisions.entries, queue.state.saving.size]).toEqual([[], 0]);
    fixture.server.outcomes.clear();
    reviewSession.failure?.retry?.();
    await vi.waitFor(() => expect(fixture.server.decisions).toHaveLength(1));
    await vi.waitFor(() => expect(stage(reviewSession)).toBe('mine'));
    expect(reviewSession.item.id).toBe('two');
    expect(fixture.server.decisions).toMatchObject([{ id: 'one', output: 'My own answer' }]);
  });

  it("QU3: Retry does not send an older text than the editor's", async () => {
    const { reviewSession, drafts } = await fixture.openWithClaim();
    type(reviewSession, 'First');
    fixture.server.outcomes.set('decision', 500);
    await reviewSession.decide('edit', { output: 'First', reason: 'x' });
    const { retry } = reviewSession.failure ?? {};
    if (reviewSession.edit) reviewSession.edit.text = 'Second';
    reviewSession.edit?.changed();
    fixture.server.outcomes.clear();
    retry?.();
    await vi.advanceTimersByTimeAsync(0);
    expect([fixture.server.decisions, reviewSession.edit?.fault, drafts.read('one')?.text]).toEqual([
      [],
      expect.any(String),
      'Second',
    ]);
  });

  it('accepts a decision whose answer was lost, and makes no second one', async () => {
    const { reviewSession, drafts } = await fixture.openWithClaim();
    type(reviewSession, 'Mine');
    fixture.server.outcomes.set('decision', 'lost');
    expect(await reviewSession.decide('edit', { output: 'Mine', reason: 'x' })).toBe(true);
    expect([fixture.server.decisions.length, drafts.read('one'), reviewSession.item.id]).toEqual([1, null, 'two']);
  });

  it('accepts it also when its effect turns out only later', async () => {
    const { reviewSession, recentDecisions } = await fixture.openWithClaim();
    fixture.server.outcomes.set('decision', 'lost');
    fixture.server.outcomes.set('GET /api/items/one', 'down');
    await reviewSession.decide('approve');
    expect([reviewSession.item.id, reviewSession.failure !== null]).toEqual(['one', true]);
    fixture.server.outcomes.clear();
    reviewSession.resync();
    await vi.waitFor(() => expect(recentDecisions.entries[0]).toMatchObject({ itemId: 'one', state: 'saved' }));
    expect(stage(reviewSession)).toBe('decided');
    expect([reviewSession.failure, reviewSession.item.lost]).toEqual([null, false]);
  });

  const PASSED: [string, () => void, string][] = [
    ['somebody decided it first', () => fixture.server.decidedBy('one', 'Ana'), 'decided'],
    ['somebody else holds it', () => fixture.server.takenBy('one', 'Ana'), 'held'],
  ];
  it.each(PASSED)('QU3: shows the present state when %s, and retains the draft', async (_, happens, expected) => {
    const { reviewSession, drafts } = await fixture.openWithClaim();
    type(reviewSession, 'Mine');
    happens();
    expect(await reviewSession.decide('edit', { output: 'Mine', reason: 'x' })).toBe(false);
    expect([...onShow(reviewSession), stage(reviewSession), reviewSession.edit]).toEqual([
      'one',
      'one',
      expected,
      null,
    ]);
    expect(drafts.read('one')?.text).toBe('Mine');
  });

  it('rolls nothing back onto another open item; the recent decisions show the failure', async () => {
    const { reviewSession, recentDecisions, queue } = await fixture.openWithClaim();
    fixture.server.held.add('decision');
    fixture.server.outcomes.set('decision', 500);
    const deciding = reviewSession.decide('approve');
    await reviewSession.peek('three');
    fixture.server.releaseHeld();
    expect(await deciding).toBe(false);
    expect([...onShow(reviewSession), reviewSession.failure]).toEqual(['three', 'three', null]);
    expect(recentDecisions.entries).toMatchObject([{ itemId: 'one', state: 'failed' }]);
    expect(queue.state.saving.size).toBe(0);
  });

  it('claims no next item when the user moved to another one meanwhile', async () => {
    const { reviewSession } = await fixture.openWithClaim();
    fixture.server.held.add('decision');
    const deciding = reviewSession.decide('approve');
    await reviewSession.peek('three');
    fixture.server.releaseHeld();
    expect(await deciding).toBe(true);
    expect([reviewSession.item.id, fixture.claims]).toEqual(['three', ['POST /api/items/one/claim']]);
  });

  it('releases a next item that arrives when the user has moved on', async () => {
    const { reviewSession } = await fixture.openWithClaim();
    fixture.server.held.add('claim-next');
    const deciding = reviewSession.decide('approve');
    await vi.advanceTimersByTimeAsync(0);
    await reviewSession.peek('three');
    fixture.server.releaseHeld();
    await deciding;
    expect(reviewSession.item.id).toBe('three');
    expect(fixture.server.requests.at(-1)).toBe('DELETE /api/items/two/claim');
  });

  it('stays on the decided item in Browse mode, and shows that it is being saved', async () => {
    const { reviewSession } = await fixture.openWithClaim({ flow: false });
    fixture.server.held.add('decision');
    const deciding = reviewSession.decide('approve');
    expect([reviewSession.item.id, reviewSession.item.saving, stage(reviewSession)]).toEqual([
      'one',
      'approve',
      'loading',
    ]);
    fixture.server.releaseHeld();
    await deciding;
    expect([reviewSession.item.id, reviewSession.item.saving, stage(reviewSession)]).toEqual(['one', null, 'decided']);
  });

  it('stops waiting after eight seconds', async () => {
    const { reviewSession } = await fixture.openWithClaim();
    vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
      const stop = new AbortController();
      setTimeout(() => stop.abort(), ms);
      return stop.signal;
    });
    fixture.server.held.add('decision');
    fixture.server.outcomes.set('GET /api/items/one', 'down');
    const deciding = reviewSession.decide('approve');
    await vi.advanceTimersByTimeAsync(7900);
    expect(reviewSession.item.id).toBe('two');
    await vi.advanceTimersByTimeAsync(200);
    expect(await deciding).toBe(false);
    expect([...onShow(reviewSession), stage(reviewSession)]).toEqual(['one', 'one', 'mine']);
  });
});
