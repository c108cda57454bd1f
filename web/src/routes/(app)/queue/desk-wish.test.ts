// What the reader asks for while the desk is busy counts: the last wish waits for the command under way, verbs never do (QU2).
import { describe, expect, it, vi } from 'vitest';
import { Place, onShow, stage } from './desk-page.fixture.ts';
import { Wish } from './wish.ts';

const place = new Place();

describe('a wish', () => {
  it('gives way to the next one, and is answered only once', async () => {
    const wish = new Wish();
    const done: string[] = [];
    const go = (name: string) => () => Promise.resolve(done.push(name) > 0);
    const both = [wish.wait(go('first')), wish.wait(go('second'))];
    wish.grant();
    wish.grant();
    expect([await Promise.all(both), done]).toEqual([[false, true], ['second']]);
  });
});

describe('while the claim on the next item is under way', () => {
  it('a line that is opened is on show at once and taken when the way is free', async () => {
    const page = await place.atWork();
    await onTheWayThen(page, async () => {
      const opening = page.desk.claim('three');
      await vi.advanceTimersByTimeAsync(0);
      expect([...onShow(page.desk), stage(page.desk), page.desk.busy]).toEqual(['three', 'three', 'free', 'next']);
      return opening;
    });
    expect([...onShow(page.desk), stage(page.desk)]).toEqual(['three', 'three', 'mine']);
    expect(page.moved).toEqual(['one', 'two', 'three', 'three']);
    // What the server picked meanwhile went back.
    await vi.waitFor(() => expect(place.server.of('two').detail.claim).toBeNull());
  });

  it('undo is done next, and the item that came goes back to the queue', async () => {
    const page = await place.atWork();
    await onTheWayThen(page, async () => {
      const made = page.tray.newest(Date.now());
      return made !== null && page.desk.undo(made);
    });
    expect([...onShow(page.desk), stage(page.desk)]).toEqual(['one', 'one', 'mine']);
    await vi.waitFor(() => expect(place.server.of('two').detail.claim).toBeNull());
  });

  it('undo of the last item is done, though nothing came next and the desk was emptied', async () => {
    for (const id of ['two', 'three']) place.server.of(id).detail.status = 'approved';
    const page = await place.open();
    await page.desk.claim('one');
    await onTheWayThen(page, async () => {
      const made = page.tray.newest(Date.now());
      return made !== null && page.desk.undo(made);
    });
    expect([...onShow(page.desk), stage(page.desk)]).toEqual(['one', 'one', 'mine']);
    expect(page.moved).toEqual(['one', null, 'one']);
  });

  it('only the last of several lines is taken', async () => {
    place.server.add('four');
    const page = await place.atWork();
    await onTheWayThen(page, async () => {
      const [first, second] = [page.desk.claim('three'), page.desk.claim('four')];
      return (await second) && !(await first);
    });
    expect([onShow(page.desk), stage(page.desk)]).toEqual([['four', 'four'], 'mine']);
    expect(place.claims).not.toContain('POST /api/items/three/claim');
  });

  it.each(['look', 'close'] as const)('a wish is forgotten when the reader turns away: %s', async (turn) => {
    const page = await place.atWork();
    await onTheWayThen(page, async () => {
      const opening = page.desk.claim('three');
      if (turn === 'look') await page.desk.look('two');
      else page.desk.close();
      return !(await opening);
    });
    expect(place.claims).not.toContain('POST /api/items/three/claim');
    expect(page.desk.item.id).toBe(turn === 'look' ? 'two' : null);
  });

  it('the item that is coming can be asked for, and is taken once', async () => {
    const page = await place.atWork();
    await onTheWayThen(page, () => page.desk.claim('two'));
    expect([stage(page.desk), place.claims.slice(1)]).toEqual(['mine', ['POST /api/queue/claim-next']]);
  });

  it('a failure of that claim is no matter to who turned away', async () => {
    const page = await place.atWork();
    place.server.fates.set('claim-next', 500);
    await onTheWayThen(page, () => page.desk.claim('three'));
    expect([page.desk.item.id, stage(page.desk), page.desk.failure]).toEqual(['three', 'mine', null]);
  });
});

describe.each([
  ['next', 'claim-next'],
  ['skip', 'POST /api/items/two/claim'],
] as const)('a reader who turns away while the answer to %s is on its way', (command, request) => {
  it.each(['look', 'close'] as const)('stays there, and what came goes back: %s', async (turn) => {
    const page = await place.open();
    await page.desk.claim('one');
    place.server.picks = 'two';
    place.server.slow.add(request);
    const asking = page.desk[command]();
    await vi.waitFor(() => expect(place.server.of('two').detail.claim).not.toBeNull());
    if (turn === 'look') await page.desk.look('three');
    else page.desk.close();
    const there = turn === 'look' ? 'three' : null;
    place.server.letGo();
    await asking;
    expect([page.desk.item.id, page.desk.item.grant, page.moved.at(-1)]).toEqual([there, null, there]);
    await vi.waitFor(() => expect(place.server.of('two').detail.claim).toBeNull());
  });

  it('has it when it is the very one they turned to', async () => {
    const page = await place.open();
    await page.desk.claim('one');
    place.server.picks = 'two';
    place.server.held.add(request);
    const asking = page.desk[command]();
    await page.desk.look('two');
    place.server.letGo();
    await asking;
    expect([...onShow(page.desk), stage(page.desk)]).toEqual(['two', 'two', 'mine']);
  });
});

it('a line that is opened while an item is given back is taken', async () => {
  const page = await place.atWork();
  const both = await Promise.all([page.desk.giveBack(), page.desk.claim('three')]);
  expect([both, ...onShow(page.desk), stage(page.desk)]).toEqual([[true, true], 'three', 'three', 'mine']);
});

describe('while a decision is on its way', () => {
  it('undo waits for that decision, takes no next item, and takes it back', async () => {
    const page = await place.atWork();
    await page.desk.decide('approve');
    await settle(page);
    place.server.held.add('decision');
    const deciding = page.desk.decide('approve');
    const made = page.tray.newest(Date.now());
    expect(made).toMatchObject({ itemId: 'two', state: 'saving' });
    const undoing = made && page.desk.undo(made);
    place.server.letGo();
    expect([await deciding, await undoing]).toEqual([true, true]);
    expect([...onShow(page.desk), stage(page.desk), place.server.of('one').detail.status]).toEqual([
      'two',
      'two',
      'mine',
      'approved',
    ]);
    expect(place.claims.filter((line) => line.includes('next'))).toHaveLength(1);
  });

  it('undo of a decision that did not stand does nothing: the page says why', async () => {
    const page = await place.atWork();
    place.server.held.add('decision');
    place.server.fates.set('decision', 500);
    const deciding = page.desk.decide('approve');
    const made = page.tray.newest(Date.now());
    const undoing = made && page.desk.undo(made);
    place.server.letGo();
    expect([await deciding, await undoing]).toEqual([false, false]);
    expect([page.desk.item.id, stage(page.desk), page.desk.failure !== null]).toEqual(['one', 'mine', true]);
    expect(place.server.requests.some((line) => line.includes('undo'))).toBe(false);
  });

  it('undo that fails leaves the next item to be read, and nothing is stuck', async () => {
    const page = await place.atWork();
    place.server.held.add('decision');
    const deciding = page.desk.decide('approve');
    const made = page.tray.newest(Date.now());
    const undoing = made && page.desk.undo(made);
    place.server.fates.set('undo', 500);
    place.server.letGo();
    await Promise.all([deciding, undoing]);
    expect([...onShow(page.desk), stage(page.desk), page.desk.busy]).toEqual(['two', 'two', 'free', null]);
    expect(page.desk.failure?.retry).toBeDefined();
  });

  it('QU2: a line may be opened, and no verb waits for it', async () => {
    const page = await place.atWork();
    place.server.held.add('decision');
    const deciding = page.desk.decide('approve');
    const opening = page.desk.claim('three');
    expect([await page.desk.decide('approve'), await page.desk.skip(), await page.desk.giveBack()]).toEqual([
      false,
      false,
      false,
    ]);
    place.server.letGo();
    expect([await deciding, await opening]).toEqual([true, true]);
    expect([page.desk.item.id, place.server.decisions.map(({ id }) => id)]).toEqual(['three', ['one']]);
  });
});

it('who turns back to the item that is being decided stays with it, and nothing is stuck', async () => {
  const page = await place.atWork();
  // Both are answered after it is decided.
  await Promise.all([page.desk.decide('approve'), page.desk.look('one')]);
  expect([...onShow(page.desk), stage(page.desk), page.desk.busy]).toEqual(['one', 'one', 'decided', null]);
});

it('undo pressed twice takes one decision back', async () => {
  const page = await place.atWork();
  await page.desk.decide('approve');
  await settle(page);
  const made = page.tray.newest(Date.now());
  if (made === null) throw new Error('There is nothing to take back.');
  const both = await Promise.all([page.desk.undo(made), page.desk.undo(made)]);
  expect([both, page.desk.item.id, page.desk.failure]).toEqual([[true, false], 'one', null]);
});

async function settle(page: { desk: { lookAhead: (awake: boolean) => void } }): Promise<void> {
  page.desk.lookAhead(true);
  await vi.advanceTimersByTimeAsync(150);
}

/** Something is wished for while the next claim is under way; everything comes to its end, and the wish held what it said. */
async function onTheWayThen(page: Awaited<ReturnType<Place['atWork']>>, wish: () => Promise<boolean>): Promise<void> {
  place.server.held.add('claim-next');
  const deciding = page.desk.decide('approve');
  await vi.advanceTimersByTimeAsync(0);
  expect([page.desk.busy, stage(page.desk)]).toEqual(['next', 'loading']);
  const wished = wish();
  await vi.advanceTimersByTimeAsync(0);
  place.server.letGo();
  expect(await wished).toBe(true);
  await deciding;
}
