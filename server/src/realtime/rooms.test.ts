// Tests the order in which a socket learns the positions of its rooms when its entry and a change of members overlap.
import { expect, it } from 'vitest';
import type { Role } from '@countersign/shared/enums';
import type { Services } from '../usecases/services.ts';
import { blindRoom, createRooms, type LiveServer, type LiveSocket, projectRoom } from './rooms.ts';

const PROJECT = 'p1';
const USER = 'u1';

/** A socket that records what it receives. */
function fakeSocket() {
  const rooms = new Set<string>();
  const positions: number[] = [];
  const socket = {
    ...{ connected: true, data: { userId: USER }, rooms },
    join: (names: string | string[]) => Promise.resolve([names].flat().forEach((name) => rooms.add(name))),
    leave: (name: string) => Promise.resolve(rooms.delete(name)),
    emit: (event: string, list: { seq: number }[]) =>
      event === 'rooms' && positions.push(...list.map(({ seq }) => seq)),
  };
  return { socket: socket as unknown as LiveSocket, rooms, positions };
}

type Reader = 'entry' | 'sync';

/** Rooms over a database whose answers the test gives: an entry reads all projects of a user, a sync one project. */
function roomsOver(socket: LiveSocket) {
  const questions: Record<Reader, ((rows: unknown[]) => void)[]> = { entry: [], sync: [] };
  const execute = (_: string, [, projectId]: unknown[]) =>
    new Promise((resolve) => questions[projectId === null ? 'entry' : 'sync'].push(resolve));
  const read = (work: (em: { execute: typeof execute }) => unknown) => work({ execute });
  const namespace = { sockets: new Map([['s1', socket]]), adapter: { rooms: new Map() } };
  const io = { of: () => namespace } as unknown as LiveServer;
  const rooms = createRooms({ db: { read } } as unknown as Services, io, (_, seq) => seq);
  /** Answers the oldest open question of this reader with this membership, or with none. */
  const answerAs = async (reader: Reader, member: { role: Role; seq: number } | null) => {
    questions[reader].shift()?.(
      member === null ? [] : [{ user_id: USER, project_id: PROJECT, role: member.role, seq: `${member.seq}` }],
    );
    await settled();
  };
  /** The same with that of a reviewer at this position. */
  const answer = (reader: Reader, seq: number | null) =>
    answerAs(reader, seq === null ? null : { role: 'reviewer', seq });
  return { rooms, answer, answerAs, open: (reader: Reader) => questions[reader].length };
}

/** All that follows without a further answer has happened. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

it('a room’s position never goes back when an entry has read before the change that a sync announces', async () => {
  const { socket, positions } = fakeSocket();
  const { rooms, answer, open } = roomsOver(socket);
  const synced = rooms.sync(PROJECT);
  const entered = rooms.enter(socket);
  await settled();
  await answer('sync', 4);
  await answer('entry', 3);
  expect(open('entry')).toBe(1);
  await answer('entry', 4);
  await Promise.all([synced, entered]);
  expect(positions).toEqual([4, 4]);
});

it('I8: a removal that was read meanwhile wins over an entry that had read before it', async () => {
  const { socket, rooms: joined } = fakeSocket();
  const { rooms, answer } = roomsOver(socket);
  const entered = rooms.enter(socket);
  const synced = rooms.sync(PROJECT);
  await settled();
  await answer('sync', null);
  await answer('entry', 3);
  expect([...joined]).toEqual([]);
  await answer('entry', null);
  await Promise.all([synced, entered]);
  expect([...joined]).toEqual([]);
});

it('AU3: a supervisor who became a reviewer stays among those who do not see audits while an older entry reads again', async () => {
  const { socket, rooms: joined } = fakeSocket();
  const { rooms, answer, answerAs } = roomsOver(socket);
  const entered = rooms.enter(socket);
  const synced = rooms.sync(PROJECT);
  await settled();
  await answer('sync', 4);
  await answerAs('entry', { role: 'supervisor', seq: 3 });
  expect(joined.has(blindRoom(PROJECT))).toBe(true);
  await answer('entry', 4);
  await Promise.all([synced, entered]);
  expect([...joined].toSorted()).toEqual([blindRoom(PROJECT), projectRoom(PROJECT)]);
});
