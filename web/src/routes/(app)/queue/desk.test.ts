// The desk under every answer the server can give: what is painted early is honest, and nothing typed is lost by it.
import { describe, expect, it, vi } from 'vitest';
import { Place, onShow, stage, type } from './desk-page.fixture.ts';
import { type Fate } from './desk-server.fixture.ts';

const place = new Place();

describe('taking over', () => {
  it.each([
    ['stays with it', 'one', 'one'],
    ['stays with the other, when the reader turned to it', 'two', 'two'],
  ])('I3: a refusal %s', async (_, turnedTo, expected) => {
    const { desk } = await place.open();
    await desk.look('one');
    place.server.held.add('take-over');
    place.server.fates.set('take-over', { code: 'claim_lost', status: 409 });
    const taking = desk.takeOver();
    if (turnedTo !== 'one') await desk.look(turnedTo);
    place.server.letGo();
    expect(await taking).toBe(false);
    expect([desk.item.id, desk.item.detail?.id, desk.failure]).toEqual([expected, expected, null]);
  });
});

describe('deciding', () => {
  it('QU2: shows the next item at once, and nothing can be done with it before the server granted it', async () => {
    const { desk, tray, moved } = await place.atWork();
    place.server.held.add('claim-next').add('decision');
    const deciding = desk.decide('approve');
    expect([...onShow(desk), stage(desk)]).toEqual(['two', 'two', 'loading']);
    expect(tray.entries[0]).toMatchObject({ itemId: 'one', state: 'saving' });
    expect(await desk.decide('approve')).toBe(false);
    place.server.held.delete('decision');
    place.server.letGo();
    place.server.held.add('claim-next');
    await vi.advanceTimersByTimeAsync(0);
    expect(stage(desk)).toBe('loading');
    expect(await desk.decide('reject', { reason: 'x' })).toBe(false);
    place.server.letGo();
    await deciding;
    expect([...onShow(desk), stage(desk)]).toEqual(['two', 'two', 'mine']);
    expect(place.server.decisions.map(({ id }) => id)).toEqual(['one']);
    expect(moved).toEqual(['one', 'two']);
  });

  it('LC4: asks for the next claim when the decision is in, never before', async () => {
    const { desk } = await place.atWork();
    place.server.held.add('decision');
    const deciding = desk.decide('approve');
    await vi.advanceTimersByTimeAsync(5000);
    expect(place.claims).toHaveLength(1);
    place.server.letGo();
    await deciding;
    expect(place.claims).toEqual(['POST /api/items/one/claim', 'POST /api/queue/claim-next']);
  });

  it('QU2: when the server picked another item, that one takes the place and the page is told anew', async () => {
    const { desk, moved } = await place.atWork();
    place.server.picks = 'three';
    await desk.decide('approve');
    expect([...onShow(desk), stage(desk)]).toEqual(['three', 'three', 'mine']);
    expect(moved).toEqual(['one', 'two', 'three']);
  });

  it('leaves an item that was only ready to be read when its claim fails, with the way to try again', async () => {
    const { desk } = await place.atWork();
    place.server.fates.set('claim-next', 'down');
    await desk.decide('approve');
    expect([...onShow(desk), stage(desk)]).toEqual(['two', 'two', 'free']);
    place.server.fates.clear();
    desk.failure?.retry?.();
    await vi.waitFor(() => expect(stage(desk)).toBe('mine'));
    expect(place.server.decisions).toHaveLength(1);
  });

  it('says so when the reader holds as many as one may (LC4)', async () => {
    const { desk } = await place.open();
    place.server.fates.set('claim', { code: 'too_many_claims', status: 409 });
    expect(await desk.next()).toBe(false);
    expect(desk.failure?.error).toMatchObject({ code: 'too_many_claims' });
  });

  const FAILURES: [string, Fate][] = [
    ['nobody answers', 'down'],
    ['the session is over', { code: 'session_missing', status: 401 }],
    ['too much was asked', { code: 'rate_limited', status: 429 }],
    ['the server fails', 500],
  ];
  it.each(FAILURES)('brings the item back as it was when %s, and Retry decides it once', async (_, fate) => {
    const { desk, tray, queue } = await place.atWork();
    type(desk, 'My own answer');
    place.server.fates.set('decision', fate);
    place.server.fates.set('GET /api/items/one', fate);
    expect(await desk.decide('edit', { output: 'My own answer', reason: 'Wrong fact' })).toBe(false);
    expect([...onShow(desk), stage(desk), desk.edit?.text]).toEqual(['one', 'one', 'mine', 'My own answer']);
    expect([tray.entries, queue.state.saving.size]).toEqual([[], 0]);
    place.server.fates.clear();
    desk.failure?.retry?.();
    await vi.waitFor(() => expect(place.server.decisions).toHaveLength(1));
    await vi.waitFor(() => expect(stage(desk)).toBe('mine'));
    expect(desk.item.id).toBe('two');
    expect(place.server.decisions).toMatchObject([{ id: 'one', output: 'My own answer' }]);
  });

  it('QU3: Retry does not send an older text than the one that stands there', async () => {
    const { desk, drafts } = await place.atWork();
    type(desk, 'First');
    place.server.fates.set('decision', 500);
    await desk.decide('edit', { output: 'First', reason: 'x' });
    const { retry } = desk.failure ?? {};
    if (desk.edit) desk.edit.text = 'Second';
    desk.edit?.changed();
    place.server.fates.clear();
    retry?.();
    await vi.advanceTimersByTimeAsync(0);
    expect([place.server.decisions, desk.edit?.fault, drafts.read('one')?.text]).toEqual([
      [],
      expect.any(String),
      'Second',
    ]);
  });

  it('counts a decision whose answer was lost, and makes no second one', async () => {
    const { desk, drafts } = await place.atWork();
    type(desk, 'Mine');
    place.server.fates.set('decision', 'lost');
    expect(await desk.decide('edit', { output: 'Mine', reason: 'x' })).toBe(true);
    expect([place.server.decisions.length, drafts.read('one'), desk.item.id]).toEqual([1, null, 'two']);
  });

  it('counts it also when it turns out only later that it had effect', async () => {
    const { desk, tray } = await place.atWork();
    place.server.fates.set('decision', 'lost');
    place.server.fates.set('GET /api/items/one', 'down');
    await desk.decide('approve');
    expect([desk.item.id, desk.failure !== null]).toEqual(['one', true]);
    place.server.fates.clear();
    desk.resync();
    await vi.waitFor(() => expect(tray.entries[0]).toMatchObject({ itemId: 'one', state: 'made' }));
    expect(stage(desk)).toBe('decided');
    expect([desk.failure, desk.item.lost]).toEqual([null, false]);
  });

  const PASSED: [string, () => void, string][] = [
    ['somebody decided it first', () => place.server.decidedBy('one', 'Ana'), 'decided'],
    ['somebody else has it', () => place.server.takenBy('one', 'Ana'), 'held'],
  ];
  it.each(PASSED)('QU3: shows how it stands when %s, and keeps what was typed', async (_, happens, expected) => {
    const { desk, drafts } = await place.atWork();
    type(desk, 'Mine');
    happens();
    expect(await desk.decide('edit', { output: 'Mine', reason: 'x' })).toBe(false);
    expect([...onShow(desk), stage(desk), desk.edit]).toEqual(['one', 'one', expected, null]);
    expect(drafts.read('one')?.text).toBe('Mine');
  });

  it('rolls nothing back onto another item the reader turned to; the tray has what failed', async () => {
    const { desk, tray, queue } = await place.atWork();
    place.server.held.add('decision');
    place.server.fates.set('decision', 500);
    const deciding = desk.decide('approve');
    await desk.look('three');
    place.server.letGo();
    expect(await deciding).toBe(false);
    expect([...onShow(desk), desk.failure]).toEqual(['three', 'three', null]);
    expect(tray.entries).toMatchObject([{ itemId: 'one', state: 'failed' }]);
    expect(queue.state.saving.size).toBe(0);
  });

  it('takes no next item when the reader turned to another one meanwhile', async () => {
    const { desk } = await place.atWork();
    place.server.held.add('decision');
    const deciding = desk.decide('approve');
    await desk.look('three');
    place.server.letGo();
    expect(await deciding).toBe(true);
    expect([desk.item.id, place.claims]).toEqual(['three', ['POST /api/items/one/claim']]);
  });

  it('gives a next item back that came when the reader had turned away', async () => {
    const { desk } = await place.atWork();
    place.server.held.add('claim-next');
    const deciding = desk.decide('approve');
    await vi.advanceTimersByTimeAsync(0);
    await desk.look('three');
    place.server.letGo();
    await deciding;
    expect(desk.item.id).toBe('three');
    expect(place.server.requests.at(-1)).toBe('DELETE /api/items/two/claim');
  });

  it('stays with the decided item in browse mode, and says that it is on its way', async () => {
    const { desk } = await place.atWork({ flow: false });
    place.server.held.add('decision');
    const deciding = desk.decide('approve');
    expect([desk.item.id, desk.item.saving, stage(desk)]).toEqual(['one', 'approve', 'loading']);
    place.server.letGo();
    await deciding;
    expect([desk.item.id, desk.item.saving, stage(desk)]).toEqual(['one', null, 'decided']);
  });

  it('gives up waiting after eight seconds', async () => {
    const { desk } = await place.atWork();
    vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
      const stop = new AbortController();
      setTimeout(() => stop.abort(), ms);
      return stop.signal;
    });
    place.server.held.add('decision');
    place.server.fates.set('GET /api/items/one', 'down');
    const deciding = desk.decide('approve');
    await vi.advanceTimersByTimeAsync(7900);
    expect(desk.item.id).toBe('two');
    await vi.advanceTimersByTimeAsync(200);
    expect(await deciding).toBe(false);
    expect([...onShow(desk), stage(desk)]).toEqual(['one', 'one', 'mine']);
  });
});
