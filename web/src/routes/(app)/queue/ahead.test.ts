// The item that comes next is at hand before it is needed, and never an old one.
import { describe, expect, it, vi } from 'vitest';
import { Place } from './desk-page.fixture.ts';

const place = new Place();

describe('one item ahead', () => {
  it('is read and never claimed', async () => {
    const { desk } = await place.atWork();
    expect(desk.ahead.ready?.id).toBe('two');
    expect(place.claims).toEqual(['POST /api/items/one/claim']);
  });

  it.each(['item.claimed', 'item.decided'] as const)('is another one as soon as it is gone: %s', async (type) => {
    const all = await place.atWork();
    if (type === 'item.claimed') place.server.takenBy('two', 'Ana');
    else place.server.decidedBy('two', 'Ana');
    place.hear(all, 'two', type);
    expect(all.desk.readyAfter('one')).toBeNull();
    all.desk.lookAhead(true);
    await vi.advanceTimersByTimeAsync(150);
    expect(all.desk.readyAfter('one')?.id).toBe('three');
  });

  it('is read again when it changed, and never shown as it was', async () => {
    const { desk, queue } = await place.atWork();
    place.server.of('two').detail = { ...place.server.of('two').detail, version: 7, suggestion: 'Newer' };
    await queue.resync();
    expect(desk.readyAfter('one')).toBeNull();
    desk.lookAhead(true);
    await vi.advanceTimersByTimeAsync(150);
    expect(desk.readyAfter('one')?.suggestion).toBe('Newer');
  });

  it('is one request at a time, given up with its prediction', async () => {
    const all = await place.open();
    await all.desk.claim('one');
    place.server.held.add('GET /api/items/two');
    all.desk.lookAhead(true);
    await vi.advanceTimersByTimeAsync(150);
    place.server.takenBy('two', 'Ana');
    place.hear(all, 'two', 'item.claimed');
    all.desk.lookAhead(true);
    await vi.advanceTimersByTimeAsync(150);
    place.server.letGo();
    await vi.advanceTimersByTimeAsync(0);
    expect(all.desk.ahead.ready?.id).toBe('three');
  });

  it.each([
    ['the page is hidden or not connected', true, false],
    ['the reader stays with what they decided', false, true],
  ])('is not read while %s', async (_, flow, awake) => {
    const { desk } = await place.open({ flow });
    await desk.claim('one');
    desk.lookAhead(awake);
    await vi.advanceTimersByTimeAsync(500);
    expect([desk.ahead.ready, place.server.requests.filter((line) => line === 'GET /api/items/two')]).toEqual([
      null,
      [],
    ]);
  });
});
