// The lease of the item on show, renewed while its reader works: never for what is gone or decided, and never over a decision.
import { describe, expect, it, vi } from 'vitest';
import { Place, stage } from './desk-page.fixture.ts';

const place = new Place();
/** A reader at work, and a lease of which a third is gone. */
const BEAT = { visible: true, inputAt: Infinity };
const THIRD_MS = 50_000;
const renewals = () => place.server.requests.filter((line) => line.includes('renew'));

describe('a heartbeat', () => {
  it('that comes late brings no lost claim back', async () => {
    const page = await place.atWork();
    await vi.advanceTimersByTimeAsync(THIRD_MS);
    const old = structuredClone(place.server.of('one'));
    place.server.held.add('renew');
    const beating = page.desk.beat(BEAT);
    place.server.takenBy('one', 'Ana');
    place.hear(page, 'one', 'item.claimed');
    expect(stage(page.desk)).toBe('held');
    // It was answered before Ana took it.
    Object.assign(place.server.of('one'), old);
    place.server.letGo();
    await beating;
    expect([stage(page.desk), page.desk.item.lost]).toEqual(['held', true]);
  });

  it('is not sent for what the reader has decided: the answer never came, and reading the item tells', async () => {
    const page = await place.atWork({ flow: false });
    place.server.fates.set('decision', 'lost').set('GET /api/items/one', 'down');
    expect(await page.desk.decide('approve')).toBe(false);
    expect(stage(page.desk)).toBe('mine');
    place.server.fates.clear();
    place.hear(page, 'one', 'item.decided');
    await vi.waitFor(() => expect(stage(page.desk)).toBe('decided'));
    expect([page.desk.item.grant, page.desk.item.lost]).toEqual([null, false]);
    await vi.advanceTimersByTimeAsync(THIRD_MS);
    await page.desk.beat(BEAT);
    expect(renewals()).toHaveLength(0);
  });

  it('that is refused is the last one with this fence, and what is true is read', async () => {
    const page = await place.atWork();
    await vi.advanceTimersByTimeAsync(THIRD_MS);
    // The page hears nothing of it.
    place.server.takenBy('one', 'Ana');
    await page.desk.beat(BEAT);
    await vi.waitFor(() => expect(stage(page.desk)).toBe('held'));
    await page.desk.beat(BEAT);
    expect([renewals().length, page.desk.item.lost]).toEqual([1, true]);
  });

  it('that finds the server down tries again', async () => {
    const { desk } = await place.atWork();
    await vi.advanceTimersByTimeAsync(THIRD_MS);
    place.server.fates.set('renew', 503);
    await desk.beat(BEAT);
    place.server.fates.clear();
    await desk.beat(BEAT);
    expect([renewals().length, stage(desk)]).toEqual([2, 'mine']);
  });

  it('QU2: is not sent while a decision is on its way, and one that is late un-paints none', async () => {
    const { desk } = await place.atWork({ flow: false });
    await vi.advanceTimersByTimeAsync(THIRD_MS);
    place.server.held.add('renew').add('decision');
    const beating = desk.beat(BEAT);
    const deciding = desk.decide('approve');
    place.server.held.delete('renew');
    place.server.letGoOf('renew');
    await beating;
    expect([desk.item.saving, stage(desk)]).toEqual(['approve', 'loading']);
    await desk.beat(BEAT);
    expect(renewals()).toHaveLength(1);
    place.server.letGo();
    expect(await deciding).toBe(true);
  });
});
