// Commands during a busy review session: the last pending command waits for the running one, actions never do (QU2).
import { describe, expect, it, vi } from 'vitest';
import { ReviewFixture, onShow, stage } from './fixtures/review-page.fixture.ts';

const fixture = new ReviewFixture();

describe('a pending command', () => {
  it('is replaced by the next one, and runs only once', async () => {
    const { reviewSession } = await fixture.open();
    fixture.server.held.add('claim-next');
    const running = reviewSession.next();
    const both = [reviewSession.claim('two'), reviewSession.claim('three')];
    fixture.server.releaseHeld();
    await running;
    const done = () => fixture.claims.filter((line) => line.includes('/items/'));
    expect([await Promise.all(both), done()]).toEqual([[false, true], ['POST /api/items/three/claim']]);
  });
});

describe('while the claim on the next item is pending', () => {
  it('an opened row is shown at once and claimed when the running command ends', async () => {
    const page = await fixture.openWithClaim();
    await whileClaimingNext(page, async () => {
      const opening = page.reviewSession.claim('three');
      await vi.advanceTimersByTimeAsync(0);
      expect([...onShow(page.reviewSession), stage(page.reviewSession), page.reviewSession.busy]).toEqual([
        'three',
        'three',
        'free',
        'next',
      ]);
      return opening;
    });
    expect([...onShow(page.reviewSession), stage(page.reviewSession)]).toEqual(['three', 'three', 'mine']);
    expect(page.moved).toEqual(['one', 'two', 'three', 'three']);
    // The item the server picked meanwhile was released.
    await vi.waitFor(() => expect(fixture.server.of('two').detail.claim).toBeNull());
  });

  it('undo runs next, and the item that arrived is released', async () => {
    const page = await fixture.openWithClaim();
    await whileClaimingNext(page, async () => {
      const recent = page.recentDecisions.newest(Date.now());
      return recent !== null && page.reviewSession.undo(recent);
    });
    expect([...onShow(page.reviewSession), stage(page.reviewSession)]).toEqual(['one', 'one', 'mine']);
    await vi.waitFor(() => expect(fixture.server.of('two').detail.claim).toBeNull());
  });

  it('undo of the last item runs, though no next item came and no item was open', async () => {
    for (const id of ['two', 'three']) fixture.server.of(id).detail.status = 'approved';
    const page = await fixture.open();
    await page.reviewSession.claim('one');
    await whileClaimingNext(page, async () => {
      const recent = page.recentDecisions.newest(Date.now());
      return recent !== null && page.reviewSession.undo(recent);
    });
    expect([...onShow(page.reviewSession), stage(page.reviewSession)]).toEqual(['one', 'one', 'mine']);
    expect(page.moved).toEqual(['one', null, 'one']);
  });

  it.each(['peek', 'close'] as const)(
    'undo runs though the user moves on, and they stay there: %s',
    async (turnAway) => {
      const page = await fixture.openWithClaim();
      await whileClaimingNext(page, async () => {
        const recent = page.recentDecisions.newest(Date.now());
        const undone = recent !== null && page.reviewSession.undo(recent);
        if (turnAway === 'peek') await page.reviewSession.peek('three');
        else page.reviewSession.close();
        return undone;
      });
      expect(page.reviewSession.item.id).toBe(turnAway === 'peek' ? 'three' : null);
      expect(page.recentDecisions.of('one')?.state).toBe('undone');
      for (const id of ['one', 'two'])
        await vi.waitFor(() => expect(fixture.server.of(id).detail).toMatchObject({ status: 'queued', claim: null }));
    },
  );

  it('undo runs before the row that is opened after it, which then is claimed', async () => {
    const page = await fixture.openWithClaim();
    await whileClaimingNext(page, async () => {
      const recent = page.recentDecisions.newest(Date.now());
      const undone = recent !== null && page.reviewSession.undo(recent);
      const opening = page.reviewSession.claim('three');
      return (await undone) && (await opening);
    });
    expect([...onShow(page.reviewSession), stage(page.reviewSession)]).toEqual(['three', 'three', 'mine']);
    expect(page.recentDecisions.of('one')?.state).toBe('undone');
  });

  it('undo runs though the decision that it waited for is refused, where it undoes another one', async () => {
    const page = await fixture.openWithClaim();
    await page.reviewSession.decide('approve');
    const recent = page.recentDecisions.of('one');
    expect([page.reviewSession.item.id, recent?.state]).toEqual(['two', 'saved']);
    fixture.server.held.add('POST /api/items/two/decision');
    fixture.server.outcomes.set('POST /api/items/two/decision', 500);
    const deciding = page.reviewSession.decide('approve');
    await vi.advanceTimersByTimeAsync(0);
    const undone = recent !== null && page.reviewSession.undo(recent);
    fixture.server.releaseHeld();
    await vi.advanceTimersByTimeAsync(60_000);
    expect([await deciding, await undone]).toEqual([false, true]);
    expect(page.recentDecisions.of('one')?.state).toBe('undone');
  });

  it('an undo replaces the row that waits to be opened', async () => {
    const page = await fixture.openWithClaim();
    await whileClaimingNext(page, async () => {
      const recent = page.recentDecisions.newest(Date.now());
      const opening = page.reviewSession.claim('three');
      const undone = recent !== null && page.reviewSession.undo(recent);
      return (await undone) && !(await opening);
    });
    expect([...onShow(page.reviewSession), stage(page.reviewSession)]).toEqual(['one', 'one', 'mine']);
  });

  it('only the last of several rows is claimed', async () => {
    fixture.server.add('four');
    const page = await fixture.openWithClaim();
    await whileClaimingNext(page, async () => {
      const [first, second] = [page.reviewSession.claim('three'), page.reviewSession.claim('four')];
      return (await second) && !(await first);
    });
    expect([onShow(page.reviewSession), stage(page.reviewSession)]).toEqual([['four', 'four'], 'mine']);
    expect(fixture.claims).not.toContain('POST /api/items/three/claim');
  });

  it.each(['peek', 'close'] as const)('a pending command is dropped when the user moves on: %s', async (turnAway) => {
    const page = await fixture.openWithClaim();
    await whileClaimingNext(page, async () => {
      const opening = page.reviewSession.claim('three');
      if (turnAway === 'peek') await page.reviewSession.peek('two');
      else page.reviewSession.close();
      return !(await opening);
    });
    expect(fixture.claims).not.toContain('POST /api/items/three/claim');
    expect(page.reviewSession.item.id).toBe(turnAway === 'peek' ? 'two' : null);
  });

  it('the item that is arriving can be requested, and is claimed once', async () => {
    const page = await fixture.openWithClaim();
    await whileClaimingNext(page, () => page.reviewSession.claim('two'));
    expect([stage(page.reviewSession), fixture.claims.slice(1)]).toEqual(['mine', ['POST /api/queue/claim-next']]);
  });

  it('a failure of that claim is ignored when the user has moved on', async () => {
    const page = await fixture.openWithClaim();
    fixture.server.outcomes.set('claim-next', 500);
    await whileClaimingNext(page, () => page.reviewSession.claim('three'));
    expect([page.reviewSession.item.id, stage(page.reviewSession), page.reviewSession.failure]).toEqual([
      'three',
      'mine',
      null,
    ]);
  });
});

describe.each([
  ['next', 'claim-next'],
  ['skip', 'POST /api/items/two/claim'],
] as const)('a user who moves on while the answer to %s is pending', (command, request) => {
  it.each(['peek', 'close'] as const)('stays there, and the item that arrives is released: %s', async (turnAway) => {
    const page = await fixture.open();
    await page.reviewSession.claim('one');
    fixture.server.picks = 'two';
    fixture.server.slow.add(request);
    const answer = page.reviewSession[command]();
    await vi.waitFor(() => expect(fixture.server.of('two').detail.claim).not.toBeNull());
    if (turnAway === 'peek') await page.reviewSession.peek('three');
    else page.reviewSession.close();
    const there = turnAway === 'peek' ? 'three' : null;
    fixture.server.releaseHeld();
    await answer;
    expect([page.reviewSession.item.id, page.reviewSession.item.grant, page.moved.at(-1)]).toEqual([
      there,
      null,
      there,
    ]);
    await vi.waitFor(() => expect(fixture.server.of('two').detail.claim).toBeNull());
  });

  it('gets the item when it is the very one they moved to', async () => {
    const page = await fixture.open();
    await page.reviewSession.claim('one');
    fixture.server.picks = 'two';
    fixture.server.held.add(request);
    const answer = page.reviewSession[command]();
    await page.reviewSession.peek('two');
    fixture.server.releaseHeld();
    await answer;
    expect([...onShow(page.reviewSession), stage(page.reviewSession)]).toEqual(['two', 'two', 'mine']);
  });
});

it('a row that is opened while an item is being released is claimed', async () => {
  const page = await fixture.openWithClaim();
  const both = await Promise.all([page.reviewSession.giveBack(), page.reviewSession.claim('three')]);
  expect([both, ...onShow(page.reviewSession), stage(page.reviewSession)]).toEqual([
    [true, true],
    'three',
    'three',
    'mine',
  ]);
});

describe('while a decision is in flight', () => {
  it('undo waits for that decision, claims no next item, and undoes it', async () => {
    const page = await fixture.openWithClaim();
    await page.reviewSession.decide('approve');
    await prefetchSettled(page);
    fixture.server.held.add('decision');
    const deciding = page.reviewSession.decide('approve');
    const recent = page.recentDecisions.newest(Date.now());
    expect(recent).toMatchObject({ itemId: 'two', state: 'saving' });
    const undoing = recent && page.reviewSession.undo(recent);
    fixture.server.releaseHeld();
    expect([await deciding, await undoing]).toEqual([true, true]);
    expect([...onShow(page.reviewSession), stage(page.reviewSession), fixture.server.of('one').detail.status]).toEqual([
      'two',
      'two',
      'mine',
      'approved',
    ]);
    expect(fixture.claims.filter((line) => line.includes('next'))).toHaveLength(1);
  });

  it('undo of a refused decision does nothing: the page shows the cause', async () => {
    const page = await fixture.openWithClaim();
    fixture.server.held.add('decision');
    fixture.server.outcomes.set('decision', 500);
    const deciding = page.reviewSession.decide('approve');
    const recent = page.recentDecisions.newest(Date.now());
    const undoing = recent && page.reviewSession.undo(recent);
    fixture.server.releaseHeld();
    expect([await deciding, await undoing]).toEqual([false, false]);
    expect([page.reviewSession.item.id, stage(page.reviewSession), page.reviewSession.failure !== null]).toEqual([
      'one',
      'mine',
      true,
    ]);
    expect(fixture.server.requests.some((line) => line.includes('undo'))).toBe(false);
  });

  it('undo that fails leaves the next item readable, and nothing is stuck', async () => {
    const page = await fixture.openWithClaim();
    fixture.server.held.add('decision');
    const deciding = page.reviewSession.decide('approve');
    const recent = page.recentDecisions.newest(Date.now());
    const undoing = recent && page.reviewSession.undo(recent);
    fixture.server.outcomes.set('undo', 500);
    fixture.server.releaseHeld();
    await Promise.all([deciding, undoing]);
    expect([...onShow(page.reviewSession), stage(page.reviewSession), page.reviewSession.busy]).toEqual([
      'two',
      'two',
      'free',
      null,
    ]);
    expect(page.reviewSession.failure?.retry).toBeDefined();
  });

  it('QU2: a row may be opened, and no action waits for it', async () => {
    const page = await fixture.openWithClaim();
    fixture.server.held.add('decision');
    const deciding = page.reviewSession.decide('approve');
    const opening = page.reviewSession.claim('three');
    expect([
      await page.reviewSession.decide('approve'),
      await page.reviewSession.skip(),
      await page.reviewSession.giveBack(),
    ]).toEqual([false, false, false]);
    fixture.server.releaseHeld();
    expect([await deciding, await opening]).toEqual([true, true]);
    expect([page.reviewSession.item.id, fixture.server.decisions.map(({ id }) => id)]).toEqual(['three', ['one']]);
  });
});

it('returning to the item that is being decided stays there, and nothing is stuck', async () => {
  const page = await fixture.openWithClaim();
  // Both are answered after the decision.
  await Promise.all([page.reviewSession.decide('approve'), page.reviewSession.peek('one')]);
  expect([...onShow(page.reviewSession), stage(page.reviewSession), page.reviewSession.busy]).toEqual([
    'one',
    'one',
    'decided',
    null,
  ]);
});

it('undo pressed twice undoes one decision', async () => {
  const page = await fixture.openWithClaim();
  await page.reviewSession.decide('approve');
  await prefetchSettled(page);
  const recent = page.recentDecisions.newest(Date.now());
  if (recent === null) throw new Error('There is no decision to undo.');
  const both = await Promise.all([page.reviewSession.undo(recent), page.reviewSession.undo(recent)]);
  expect([both, page.reviewSession.item.id, page.reviewSession.failure]).toEqual([[true, false], 'one', null]);
});

async function prefetchSettled(page: { reviewSession: { prefetchNext: (awake: boolean) => void } }): Promise<void> {
  page.reviewSession.prefetchNext(true);
  await vi.advanceTimersByTimeAsync(150);
}

/** Runs a command while the next claim is pending, lets everything finish, and returns what the command resolved to. */
async function whileClaimingNext(
  page: Awaited<ReturnType<ReviewFixture['openWithClaim']>>,
  pendingCommand: () => Promise<boolean>,
): Promise<void> {
  fixture.server.held.add('claim-next');
  const deciding = page.reviewSession.decide('approve');
  await vi.advanceTimersByTimeAsync(0);
  expect([page.reviewSession.busy, stage(page.reviewSession)]).toEqual(['next', 'loading']);
  const answered = pendingCommand();
  await vi.advanceTimersByTimeAsync(0);
  fixture.server.releaseHeld();
  expect(await answered).toBe(true);
  await deciding;
}
