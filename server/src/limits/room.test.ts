// Room for what clients make the process hold: who gets some, who waits, who gives way (MB1, MB2).
import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { RECEIVED, UNSENT } from './memory.ts';
import { type Owner, type Place, Room, type RoomLimits } from './room.ts';

const LIMITS: RoomLimits = {
  ...{ perProcess: 100, perOwner: 10, perStranger: 4, waitingPerOwner: 2, waitingPerProcess: 5 },
  ...{ waitMs: 3_600_000, staleMs: 1000 },
};
const anna: Owner = { name: 'anna', stranger: false };
const ben: Owner = { name: 'ben', stranger: false };
const stranger: Owner = { name: '192.0.2.1', stranger: true };

function aRoom(limits: Partial<RoomLimits> = {}) {
  let now = 0;
  const room = new Room({ ...LIMITS, ...limits }, () => now);
  const client = new EventEmitter();
  const enter = (who: Owner, bytes: number) => room.enter(who, bytes, client);
  /** Has to get it at once. */
  const held = (who: Owner, bytes: number): Place => {
    const place = enter(who, bytes);
    if (place instanceof Promise) throw new Error('It has to wait.');
    return place;
  };
  return { room, client, enter, held, pass: (ms: number) => (now += ms) };
}

/** What was ended, in order, by the names given. */
function ending(...named: [string, Place][]): string[] {
  const ended: string[] = [];
  for (const [name, place] of named) place.mayGo(() => ended.push(name));
  return ended;
}

describe('room', () => {
  it('MB1: is a tenth of the process’s for an owner, and less for a stranger', () => {
    for (const { perProcess, perOwner, perStranger } of [RECEIVED, UNSENT]) {
      expect(perOwner).toBeLessThanOrEqual(perProcess / 10);
      expect(perStranger).toBeLessThan(perOwner / 5);
    }
    const { room, held, enter } = aRoom();
    held(anna, 10);
    expect(enter(anna, 1)).toBeInstanceOf(Promise);
    held(stranger, 4);
    expect(enter(stranger, 1)).toBeInstanceOf(Promise);
    held(ben, 10);
    expect(room.taken).toBe(24);
  });

  it('MB2: that is left goes to whoever has waited for longest, and small things may pass by large ones', async () => {
    const { room, held, enter } = aRoom();
    const first = held(anna, 8);
    const order: string[] = [];
    const large = Promise.resolve(enter(anna, 8)).then((place) => (order.push('large'), place));
    held(anna, 2).leave();
    const next = Promise.resolve(enter(anna, 3)).then(() => order.push('next'));
    expect(room.waiting).toBe(2);
    first.leave();
    (await large).leave();
    await next;
    expect(order).toEqual(['large', 'next']);
    expect(room).toMatchObject({ taken: 3, waiting: 0 });
  });

  it('MB2: is refused to whoever would be one too many who wait, by owner and in all', () => {
    const { held, enter } = aRoom({ waitingPerProcess: 3 });
    for (const who of [anna, ben]) held(who, 10);
    for (const who of [anna, anna, ben]) void enter(who, 1);
    expect(() => enter(anna, 1)).toThrow('unavailable');
    expect(() => enter(ben, 1)).toThrow('unavailable');
  });

  it('MB2: that is left in a full process goes to whoever has least, before others of the owner who left it', async () => {
    const { held, enter, room } = aRoom({ perProcess: 20 });
    const [part] = [held(anna, 4), held(anna, 6), held(ben, 10)];
    const again = Promise.resolve(enter(anna, 4));
    const small = Promise.resolve(enter(stranger, 1));
    part.leave();
    expect((await small).bytes).toBe(1);
    expect(room).toMatchObject({ taken: 17, waiting: 1 });
    (await small).leave();
    expect((await again).bytes).toBe(4);
  });

  it('MB2: is waited for by whoever has nobody waiting, however many wait for others', async () => {
    const { held, enter, room } = aRoom({ perProcess: 20, waitingPerOwner: 3, waitingPerProcess: 4 });
    for (const who of [anna, ben]) held(who, 10);
    const crowd = [anna, anna, anna, ben].map((who) => Promise.resolve(enter(who, 1)));
    const refused = expect(crowd[2]).rejects.toMatchObject({ code: 'unavailable' });
    expect(enter(stranger, 1)).toBeInstanceOf(Promise);
    await refused;
    expect(room.waiting).toBe(4);
    // Among equals who came first stays.
    expect(() => enter(ben, 1)).toThrow('unavailable');
  });

  it('MB2: is refused when the time is over, and to whoever has gone', async () => {
    const { room, held, enter } = aRoom({ waitMs: 1 });
    held(anna, 10);
    await expect(enter(anna, 1)).rejects.toMatchObject({ code: 'unavailable', extras: { retryAfter: 1 } });
    const patient = aRoom();
    patient.held(anna, 10);
    const gone = expect(patient.enter(anna, 1)).rejects.toThrow('unavailable');
    patient.client.emit('close');
    await gone;
    expect([room.waiting, patient.room.waiting]).toEqual([0, 0]);
  });

  it('MB2: is given up by what has kept it for long, where the same owner needs it', () => {
    const { held, enter, pass, room } = aRoom();
    const [old, young] = [held(anna, 5), held(anna, 5)];
    const ended = ending(['old', old]);
    pass(999);
    void enter(anna, 5);
    expect(ended).toEqual([]);
    ended.push(...ending(['young', young]));
    pass(1);
    // Who waited is first, and then there is none.
    void enter(anna, 5);
    expect(ended).toEqual(['old']);
    expect(room).toMatchObject({ taken: 10, waiting: 1 });
  });

  it('MB2: is not given up for that by what is being worked on, or is sent as it is made', () => {
    const { held, enter, pass } = aRoom();
    held(anna, 5);
    const slow = held(anna, 5);
    const ended: string[] = [];
    slow.mayGo(() => ended.push('slow'), { slowly: true });
    pass(1_000_000);
    expect(enter(anna, 1)).toBeInstanceOf(Promise);
    expect(ended).toEqual([]);
  });

  it('MB2: of a full process is given up by whoever has most, for whoever has less', () => {
    const { held, enter, room } = aRoom({ perProcess: 20 });
    const [most, more] = [held(anna, 10), held(ben, 6)];
    const ended = ending(['most', most], ['more', more]);
    held(stranger, 4);
    const carl = { name: 'carl', stranger: false };
    held(carl, 3);
    expect(ended).toEqual(['most']);
    // Nobody gives way to one who has as much.
    expect(enter({ name: 'dora', stranger: false }, 8)).toBeInstanceOf(Promise);
    expect(ended).toEqual(['most']);
    expect(room.taken).toBe(13);
  });

  it('MB1: counts a thing with what it turns out to have, and nothing when all is left', () => {
    const { room, held, pass } = aRoom();
    const place = held(anna, 2);
    expect(place.resize(10)).toBe(true);
    expect(place.resize(11)).toBe(false);
    expect(room.taken).toBe(10);
    place.force(11);
    expect(room.taken).toBe(11);
    place.leave();
    place.leave();
    place.force(5);
    pass(1);
    expect(room.taken).toBe(0);
  });
});
