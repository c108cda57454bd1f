// Places for dear requests: of a person, of the process, in line, and given back.
import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { readAnalytics } from '@countersign/shared/api/analytics';
import { listEvents, listItems, readItem, submitItem } from '@countersign/shared/api/public';
import { listQueue } from '@countersign/shared/api/queue';
import { UNSENT } from '../limits/memory.ts';
import { Room } from '../limits/room.ts';
import { admit, createLines, createPlaces, type Leave } from './at-once.ts';

const FEW = { perPerson: 2, perProcess: 3, waitingPerPerson: 1, waiting: 2, why: '' };

/** The other end of a request. */
class Client extends EventEmitter {
  closed = false;

  go(): void {
    this.closed = true;
    this.emit('close');
  }
}

const settle = () => new Promise((done) => setImmediate(done));

/** Who has come in so far, in order. */
function door(limit = FEW) {
  const places = createPlaces(limit);
  const inside: string[] = [];
  const leaves: Leave[] = [];
  const refused: string[] = [];
  const knock = (person: string, client = new Client()) =>
    void places.enter(person, client).then(
      (leave) => {
        inside.push(person);
        leaves.push(leave);
      },
      (error: { code: string }) => refused.push(`${person} ${error.code}`),
    );
  return { knock, inside, leaves, refused, settle };
}

describe('RL6: places for what is dear', () => {
  it('are so many of a person, one more stands in line, and the next is refused', async () => {
    const { knock, inside, leaves, refused, settle } = door();
    for (let n = 0; n < 4; n += 1) knock('anna');
    await settle();
    expect([inside, refused]).toEqual([['anna', 'anna'], ['anna rate_limited']]);
    leaves[0]?.();
    leaves[0]?.();
    await settle();
    expect(inside).toEqual(['anna', 'anna', 'anna']);
  });

  it('are so many of the process, and a crowd in line holds up nobody who has a place left', async () => {
    const { knock, inside, leaves, refused, settle } = door({ ...FEW, perProcess: 2, waitingPerPerson: 5 });
    for (let n = 0; n < 3; n += 1) knock('anna');
    knock('ben');
    knock('carl');
    await settle();
    expect([inside, refused]).toEqual([['anna', 'anna'], ['carl unavailable']]);
    leaves[0]?.();
    await settle();
    expect(inside).toEqual(['anna', 'anna', 'ben']);
    leaves[1]?.();
    await settle();
    expect(inside.at(-1)).toBe('anna');
  });

  it('are waited for by whoever has nobody in line, however many wait for others', async () => {
    const { knock, inside, leaves, refused, settle } = door({ ...FEW, perProcess: 1, waitingPerPerson: 5, waiting: 3 });
    for (const person of ['anna', 'ben', 'ben', 'carl', 'dora', 'ben']) knock(person);
    await settle();
    expect([inside, refused]).toEqual([['anna'], ['ben unavailable', 'ben unavailable']]);
    for (let n = 0; n < 3; n += 1) {
      leaves[n]?.();
      await settle();
    }
    expect(inside).toEqual(['anna', 'ben', 'carl', 'dora']);
  });

  it('let somebody past whose person has none left', async () => {
    const { knock, inside, leaves, settle } = door({ ...FEW, perPerson: 1, perProcess: 2, waitingPerPerson: 5 });
    for (const person of ['anna', 'anna', 'ben', 'ben', 'carl']) knock(person);
    await settle();
    expect(inside).toEqual(['anna', 'ben']);
    leaves[1]?.();
    await settle();
    expect(inside.at(-1)).toBe('ben');
  });

  it('are for nobody who has gone, before or while they stood in line', async () => {
    const { knock, inside, leaves, refused } = door({ ...FEW, perPerson: 1, waitingPerPerson: 5, waiting: 5 });
    const [early, patient] = [new Client(), new Client()];
    early.go();
    knock('anna');
    knock('anna', patient);
    knock('anna');
    knock('ben', early);
    patient.go();
    await settle();
    expect([inside, refused]).toEqual([['anna'], ['ben unavailable', 'anna unavailable']]);
    leaves[0]?.();
    await settle();
    expect(inside).toEqual(['anna', 'anna']);
    expect(patient.listenerCount('close')).toBe(0);
  });

  it('are of one line for all lists, by key or session, and none for what is small', () => {
    const lineOf = createLines();
    const [line, ...others] = [listItems, listEvents, listQueue].map(lineOf);
    expect(line).not.toBeNull();
    expect(others).toEqual([line, line]);
    expect([lineOf(readAnalytics) === line, lineOf(submitItem), lineOf(readItem)]).toEqual([false, null, null]);
  });
});

describe('RL6: room for an answer', () => {
  const anna = { name: 'anna', stranger: false };
  // Nobody waits so long for room that it is refused after its test has ended.
  const FULL = { ...UNSENT, perOwner: 10, perProcess: 100, waitMs: 3_600_000 };
  const ask = (room: Room, line: ReturnType<typeof createPlaces>, client = new Client()) =>
    admit({ unsent: room }, line, { owner: anna, expected: 5, client });

  it('is held by nobody who stands in line', async () => {
    const [room, line] = [new Room(FULL), createPlaces({ ...FEW, perPerson: 1, waitingPerPerson: 9, waiting: 9 })];
    const first = await ask(room, line);
    const rest = [ask(room, line), ask(room, line), ask(room, line)];
    await settle();
    expect(room).toMatchObject({ taken: 5, waiting: 0 });
    first.leaveLine();
    // Made and not taken: its room is still held, and the next has the rest.
    await rest[0];
    expect(room.taken).toBe(10);
  });

  it('is waited for without a place in the line', async () => {
    const [room, line] = [new Room(FULL), createPlaces({ ...FEW, perPerson: 1, perProcess: 1 })];
    const unread = await room.enter(anna, 10, new Client());
    const waiting = ask(room, line);
    await settle();
    expect(room.waiting).toBe(1);
    (await line.enter('ben', new Client()))();
    unread.leave();
    expect((await waiting).place.bytes).toBe(5);
  });

  it('that is left goes to one of many who wait for it, and they wait on', async () => {
    const [room, line] = [new Room(FULL), createPlaces({ ...FEW, waitingPerPerson: 9, waiting: 9 })];
    const [unread] = [await room.enter(anna, 5, new Client()), await room.enter(anna, 5, new Client())];
    let admitted = 0;
    for (let n = 0; n < 8; n += 1) void ask(room, line).then(() => (admitted += 1));
    await settle();
    unread.leave();
    await settle();
    expect([admitted, room.waiting, room.taken]).toEqual([1, 7, 10]);
  });
});
