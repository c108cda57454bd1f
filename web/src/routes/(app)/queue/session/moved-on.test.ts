// A response or event of an item the user has left changes nothing on the item they are on (QU2, QU3).
import { describe, expect, it, vi } from 'vitest';
import { ReviewFixture, onShow, stage, type } from './fixtures/review-page.fixture.ts';

const fixture = new ReviewFixture();

describe.each(['claim', 'takeOver', 'undo'] as const)('a user who moves on while %s is in flight', (command) => {
  /** Sends the command for `one`, whose response stays out; the user looks at `three`, or closes the item. */
  async function movedOn(turnAway: 'peek' | 'close', outcome?: { code: string; status: number } | 'down') {
    const page = await fixture.open();
    const { reviewSession, recentDecisions } = page;
    await reviewSession.peek('two');
    if (command === 'undo') {
      await reviewSession.claim('one');
      await reviewSession.decide('approve');
      await reviewSession.peek('two');
    } else if (command === 'takeOver') await reviewSession.peek('one');
    const recent = recentDecisions.of('one');
    const request = command === 'takeOver' ? 'one/claim/take-over' : 'one/claim';
    fixture.server.held.add(request);
    if (outcome !== undefined) fixture.server.outcomes.set(request, outcome);
    const running =
      command === 'undo' && recent !== null
        ? reviewSession.undo(recent)
        : command === 'claim'
          ? reviewSession.claim('one', onlost)
          : reviewSession.takeOver();
    await vi.advanceTimersByTimeAsync(0);
    if (turnAway === 'peek') await reviewSession.peek('three');
    else reviewSession.close();
    fixture.server.releaseHeld();
    await running;
    await vi.advanceTimersByTimeAsync(0);
    return page;
  }
  const onlost = vi.fn();

  it.each(['peek', 'close'] as const)('stays there, and the claim is released: %s', async (turnAway) => {
    const { reviewSession, moved } = await movedOn(turnAway);
    const there = turnAway === 'peek' ? 'three' : null;
    expect([reviewSession.item.id, moved.at(-1), reviewSession.busy]).toEqual([there, there, null]);
    expect(fixture.server.of('one').detail).toMatchObject({ claim: null, status: 'queued' });
  });

  it('is not moved by a refusal either', async () => {
    onlost.mockClear();
    const { reviewSession } = await movedOn('peek', {
      code: command === 'claim' ? 'forbidden' : 'claim_held',
      status: 409,
    });
    expect([...onShow(reviewSession), onlost.mock.calls]).toEqual(['three', 'three', []]);
  });
});

it('a claim of an item that the user held before is not released when they move on', async () => {
  const { reviewSession } = await fixture.openWithClaim();
  await reviewSession.peek('two');
  fixture.server.held.add('one/claim');
  const claiming = reviewSession.claim('one');
  await reviewSession.peek('three');
  fixture.server.releaseHeld();
  await claiming;
  await vi.advanceTimersByTimeAsync(0);
  expect([reviewSession.item.id, fixture.server.of('one').detail.claim?.user_id]).toEqual(['three', 'me']);
});

it('looking through the items one holds ends at the last one, and releases none', async () => {
  const { reviewSession } = await fixture.openWithClaim();
  await reviewSession.peek('two');
  fixture.server.held.add('one/claim');
  const first = reviewSession.peek('one');
  await vi.advanceTimersByTimeAsync(0);
  await reviewSession.peek('three');
  fixture.server.releaseHeld();
  await first;
  await vi.advanceTimersByTimeAsync(0);
  expect([reviewSession.item.id, fixture.server.of('one').detail.claim?.user_id]).toEqual(['three', 'me']);
});

it('QU3: an item with a draft stays claimed when it arrives as the next one after the user moved on', async () => {
  const page = await fixture.open();
  const { reviewSession, queue } = page;
  await reviewSession.claim('two');
  type(reviewSession, 'Mine');
  await reviewSession.claim('one');
  queue.switchTo({ view: 'mine', projectId: null });
  await vi.advanceTimersByTimeAsync(0);
  fixture.server.slow.add('two/claim');
  const skipping = reviewSession.skip();
  await vi.advanceTimersByTimeAsync(0);
  await reviewSession.peek('three');
  fixture.server.releaseHeld();
  await skipping;
  await vi.advanceTimersByTimeAsync(0);
  expect([reviewSession.item.id, fixture.server.of('two').detail.claim?.user_id]).toEqual(['three', 'me']);
});

describe('a failure', () => {
  it.each(['next', 'extend'] as const)('of %s is not shown on another item', async (command) => {
    const { reviewSession } = await fixture.openWithClaim();
    const request = command === 'next' ? 'claim-next' : 'renew';
    fixture.server.held.add(request);
    fixture.server.outcomes.set(request, 'down');
    const running = reviewSession[command]();
    await reviewSession.peek('three');
    fixture.server.releaseHeld();
    await running;
    expect([reviewSession.item.id, reviewSession.failure, reviewSession.busy]).toEqual(['three', null, null]);
  });

  it('of skip is shown on another item, and Retry releases the one it was for', async () => {
    const { reviewSession } = await fixture.openWithClaim();
    fixture.server.held.add('DELETE');
    fixture.server.outcomes.set('DELETE', 'down');
    const skipping = reviewSession.skip();
    await reviewSession.peek('three');
    fixture.server.releaseHeld();
    expect(await skipping).toBe(false);
    fixture.server.outcomes.clear();
    reviewSession.failure?.retry?.();
    await vi.waitFor(() => expect(fixture.server.of('one').detail.claim).toBeNull());
    await vi.waitFor(() => expect(reviewSession.busy).toBeNull());
    expect([reviewSession.item.id, fixture.claims]).toEqual(['three', ['POST /api/items/one/claim']]);
  });

  it('of a decision is shown to a user who returned to its item', async () => {
    const { reviewSession, recentDecisions } = await fixture.openWithClaim();
    type(reviewSession, 'Mine');
    fixture.server.held.add('decision');
    fixture.server.outcomes.set('decision', 500);
    const deciding = reviewSession.decide('edit', { output: 'Mine', reason: 'Wrong fact' });
    await reviewSession.peek('three');
    const returning = reviewSession.peek('one');
    await vi.advanceTimersByTimeAsync(0);
    fixture.server.releaseHeld();
    await Promise.all([deciding, returning]);
    expect([...onShow(reviewSession), stage(reviewSession), reviewSession.edit?.text]).toEqual([
      'one',
      'one',
      'mine',
      'Mine',
    ]);
    expect([reviewSession.failure?.retry === undefined, recentDecisions.entries]).toEqual([false, []]);
  });

  it.each(['startEdit', 'stopEdit'] as const)(
    'of a decision leaves with %s, which makes Retry pointless',
    async (change) => {
      const { reviewSession } = await fixture.openWithClaim();
      if (change === 'stopEdit') type(reviewSession, 'Mine');
      fixture.server.outcomes.set('decision', 500);
      await (change === 'startEdit'
        ? reviewSession.decide('approve')
        : reviewSession.decide('edit', { output: 'Mine', reason: 'x' }));
      expect(reviewSession.failure).not.toBeNull();
      reviewSession[change]();
      expect([reviewSession.failure, reviewSession.edit === null]).toEqual([null, change === 'stopEdit']);
    },
  );

  it('is retried once, however often Retry is called', async () => {
    const { reviewSession, recentDecisions } = await fixture.openWithClaim();
    await reviewSession.decide('approve');
    const recent = recentDecisions.of('one');
    fixture.server.outcomes.set('undo', 500);
    if (recent) await reviewSession.undo(recent);
    const { retry } = reviewSession.failure ?? {};
    fixture.server.outcomes.clear();
    const before = fixture.server.requests.length;
    retry?.();
    retry?.();
    await vi.waitFor(() => expect(reviewSession.item.id).toBe('one'));
    await vi.advanceTimersByTimeAsync(0);
    retry?.();
    await vi.advanceTimersByTimeAsync(0);
    expect(fixture.server.requests.slice(before).filter((line) => line.includes('undo'))).toHaveLength(1);
  });
});

it('a refused renewal on request ends the claim, and Retry does not repeat it for ever', async () => {
  const { reviewSession } = await fixture.openWithClaim();
  fixture.server.takenBy('one', 'Ana');
  expect(await reviewSession.extend()).toBe(false);
  expect([stage(reviewSession), reviewSession.item.lost, reviewSession.failure]).toEqual(['held', true, null]);
});

it('a claim that ended before its late answer is shown as ended', async () => {
  const page = await fixture.open();
  fixture.server.slow.add('two/claim');
  const claiming = page.reviewSession.claim('two');
  await vi.waitFor(() => expect(fixture.server.of('two').detail.claim).not.toBeNull());
  fixture.server.takenBy('two', 'Ana');
  fixture.receive(page, 'two', 'item.claimed');
  fixture.server.releaseHeld();
  await claiming;
  await vi.waitFor(() => expect([stage(page.reviewSession), page.reviewSession.item.lost]).toEqual(['held', true]));
});

it('a claim that was lost during an interruption shows as lost when its item is read again', async () => {
  const { reviewSession } = await fixture.openWithClaim();
  fixture.server.takenBy('one', 'Ana');
  await reviewSession.peek('one');
  expect([stage(reviewSession), reviewSession.item.lost]).toEqual(['held', true]);
});

it('QU3: opening the field of the own reason replaces no text that was typed there', async () => {
  const { reviewSession, drafts } = await fixture.openWithClaim();
  reviewSession.reasonPrompt.own = '';
  reviewSession.reasonPrompt.own = 'Because of page 3';
  reviewSession.reasonPrompt.clear();
  type(reviewSession, 'Mine');
  reviewSession.edit?.choose('Wrong fact');
  // As the last chip does.
  reviewSession.reasonPrompt.own = reviewSession.edit?.reason ?? '';
  expect([reviewSession.reasonPrompt.own, drafts.notes('one').own]).toEqual(['Because of page 3', 'Because of page 3']);
});

describe('undo of the open item', () => {
  it('is none while the item before it is still shown', async () => {
    const { reviewSession } = await fixture.openWithClaim({ flow: false });
    await reviewSession.decide('approve');
    fixture.server.held.add('GET /api/items/two');
    const peeking = reviewSession.peek('two');
    expect(onShow(reviewSession)).toEqual(['two', 'one']);
    expect(await reviewSession.undoShown()).toBe(false);
    fixture.server.releaseHeld();
    await peeking;
    expect(fixture.server.of('one').detail.status).toBe('approved');
  });

  it('restores no text of an earlier decision that was undone', async () => {
    const { reviewSession, recentDecisions, drafts } = await fixture.openWithClaim({ flow: false });
    reviewSession.reasonPrompt.openNote();
    reviewSession.reasonPrompt.note = 'Of the first';
    await reviewSession.decide('approve');
    const first = recentDecisions.of('one');
    if (first) await reviewSession.undo(first);
    drafts.saveNotes('one', { note: '', own: '' });
    // Another tab of the same user decides it.
    fixture.server.decidedBy('one', 'Ana');
    fixture.server.of('one').detail.decision = {
      ...fixture.server.of('one').detail.decision,
      reviewer_id: 'me',
    } as never;
    await reviewSession.peek('one');
    expect(await reviewSession.undoShown()).toBe(true);
    expect(drafts.notes('one').note).toBe('');
  });

  it('undoes the decision on show where the page was not open when its own was undone', async () => {
    const { reviewSession, recentDecisions } = await fixture.openWithClaim({ flow: false });
    await reviewSession.decide('approve');
    await vi.advanceTimersByTimeAsync(10);
    const { detail } = fixture.server.of('one');
    // Another tab undid it and decided again.
    detail.version += 2;
    detail.undo_until = new Date(Date.parse(detail.undo_until ?? '') + 1000).toISOString();
    detail.decision = { ...detail.decision, reviewer_id: 'me' } as never;
    await reviewSession.peek('two');
    await reviewSession.peek('one');
    expect(recentDecisions.of('one')?.state).toBe('saved');
    expect(await reviewSession.undoShown()).toBe(true);
    expect(fixture.server.of('one').detail.status).toBe('queued');
  });
});
