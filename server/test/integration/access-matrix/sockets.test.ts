// Tests the live socket with every kind of caller: who connects, who joins which room, who receives which event.
import { randomUUID } from 'node:crypto';
import { io as connectSocket } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { declineOffer } from '@countersign/shared/routes/offers';
import { removeMember } from '@countersign/shared/routes/projects';
import { endSession, readSession } from '@countersign/shared/routes/session';
import type { ClientToServer, ServerToClient } from '@countersign/shared/sockets';
import { ROLES } from '@countersign/shared/enums';
import { aSubmission, join, offerTo } from '../../builders.ts';
import { person, type Person } from '../../client.ts';
import { may } from '../../../src/domain/access/permissions.ts';
import { blindRoom, projectRoom, sessionRoom, userRoom } from '../../../src/realtime/rooms.ts';
import { asPerson, type MatrixEnvironment, openMatrixEnvironment, sessionOf, type Who } from './environment.ts';
import { type Listener, type LiveTestServer, waitUntilRead, startLiveServer } from '../support/live-server.ts';
import { serve } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

/** The events a client may send, and whose reach the project: commands go over HTTP. */
const ALLOWED_SENDERS: Record<keyof ClientToServer, readonly Who[]> = { presence: ROLES };
/** The events a client may receive: for its rooms, for it alone, or for everybody. */
const HEARS: Record<keyof ServerToClient, 'of its rooms' | 'alone' | 'everybody'> = {
  events: 'of its rooms',
  rooms: 'alone',
  resync: 'alone',
  offers: 'alone',
  presence: 'of its rooms',
  metrics: 'of its rooms',
  assignment: 'everybody',
};

const inside = useServices();
let matrixEnv: MatrixEnvironment;
let live: LiveTestServer;
const open: Listener[] = [];
const everybody: Who[] = [...ROLES, 'stranger', 'removed reviewer', 'removed owner'];

beforeAll(async () => {
  // As in start.ts: ending a session closes its sockets.
  inside.services.kick = { session: (id) => void live.io.in(sessionRoom(id)).disconnectSockets(true) };
  matrixEnv = await openMatrixEnvironment(await serve(inside.services), inside);
  live = await startLiveServer(inside);
});
afterAll(async () => {
  for (const { socket } of open) socket.close();
  await live.close();
  await matrixEnv.served.close();
});

const origin = () => ({ origin: matrixEnv.served.testEnv.baseUrl });
const headersOf = (who: Person) => ({ ...origin(), cookie: who.cookieHeader() });

async function connect(...args: Parameters<LiveTestServer['connect']>): Promise<Listener> {
  const listener = await live.connect(...args);
  open.push(listener);
  return listener;
}

/** The rooms of projects and sessions that a socket is in, as the server has it, without the room of its person. */
const roomsOf = ({ inside: socket }: Listener) => {
  const own = userRoom(socket.data.userId);
  expect([...socket.rooms]).toContain(own);
  return [...socket.rooms].filter((room) => room !== socket.id && room !== own).sort();
};

/** Submits an item and publishes it; returns its id when every socket has received what it should. */
async function arrive(listeners: Listener[], project = matrixEnv.project): Promise<string> {
  const { id } = await project.pipeline.submit(aSubmission());
  await live.deliverEvents();
  await Promise.all(listeners.map((listener) => listener.caughtUp()));
  return id;
}
const hasReceived = ({ received }: Listener, id: string) => received.some(({ text }) => text.includes(id));

describe('T5: the handshake', () => {
  it('A7: refuses a missing session and one that has ended', async () => {
    await expect(connect(origin())).rejects.toThrow('websocket error');
    const gone = await person(matrixEnv.served.testEnv);
    const headers = headersOf(gone);
    await gone.call(endSession);
    await expect(connect(headers)).rejects.toThrow('session_missing');
  });

  it('A6: refuses an API key or a token, wherever it is sent', async () => {
    const token = matrixEnv.project.owner.cookies.get('__Host-sid') ?? '';
    for (const key of [
      matrixEnv.project.pipeline.apiKey,
      matrixEnv.other.pipeline.apiKey,
      matrixEnv.revokedKey,
      token,
    ]) {
      const named = { 'x-api-key': key, authorization: `Bearer ${key}`, token: key };
      await expect(connect({ ...origin(), ...named })).rejects.toThrow('websocket error');
      await expect(connect(origin(), { auth: named })).rejects.toThrow('websocket error');
      await expect(connect(origin(), { query: { ...named, '__Host-sid': key } })).rejects.toThrow('websocket error');
    }
  });

  it('A7: refuses a connection from another site, with any cookie', async () => {
    const ours = matrixEnv.served.testEnv.baseUrl;
    for (const other of ['https://evil.test', 'null', '', `${ours}.evil.test`, ours.slice(0, -1), `${ours}/`])
      await expect(connect({ ...headersOf(matrixEnv.project.owner), origin: other }), other).rejects.toThrow(
        'websocket error',
      );
  });
});

describe('T4: the rooms of a socket', () => {
  it.each(ROLES)('of a %s are their session’s and their project’s', async (role) => {
    const listener = await connect(asPerson(matrixEnv, role));
    // Members who may not see the analytics of the project join a separate room (AU3).
    const blind = may(role, 'see_analytics') ? [] : [blindRoom(matrixEnv.ids.project)];
    const rooms = [projectRoom(matrixEnv.ids.project), sessionRoom(sessionOf(matrixEnv.people[role])), ...blind];
    expect(roomsOf(listener)).toEqual(rooms.sort());
    expect(hasReceived(listener, await arrive([listener]))).toBe(true);
  });

  it.each<Who>([...ROLES, 'stranger', 'removed owner'])('QU4: start where the session of a %s says', async (who) => {
    const before = await matrixEnv.people[who].call(readSession);
    const listener = await connect(asPerson(matrixEnv, who));
    await listener.caughtUp();
    const [rooms] = listener.received.filter(({ event }) => event === 'rooms');
    expect(JSON.parse(rooms?.text ?? 'null')).toEqual([before.positions]);
    const submitted = await arrive([listener]);
    expect(hasReceived(listener, submitted)).toBe(before.positions?.length === 1);
    const { positions } = await matrixEnv.people[who].call(readSession);
    expect(positions?.map(({ seq }) => seq)).toEqual(before.positions?.map(({ seq }) => seq + 1));
  });

  it.each<Who>(['stranger', 'removed reviewer', 'removed owner'])('of a %s are their session’s alone', async (who) => {
    const listener = await connect(asPerson(matrixEnv, who));
    expect(roomsOf(listener)).toEqual([sessionRoom(sessionOf(matrixEnv.people[who]))]);
    expect(hasReceived(listener, await arrive([listener]))).toBe(false);
  });

  it('of another project’s owner are that project’s, and receive nothing of this one', async () => {
    const listener = await connect(headersOf(matrixEnv.other.owner));
    const mine = await arrive([listener]);
    const theirs = await arrive([listener], matrixEnv.other);
    expect([hasReceived(listener, mine), hasReceived(listener, theirs)]).toEqual([false, true]);
    expect(JSON.stringify(listener.received)).not.toContain(matrixEnv.ids.project);
  });

  it('cannot be chosen by the client, with any payload', async () => {
    const id = matrixEnv.ids.project;
    const payloads = { room: projectRoom(id), rooms: [projectRoom(id)], project_id: id, projects: id };
    const events = ['join', 'subscribe', 'rooms', 'enter', 'resync', 'watch', 'project.changed', projectRoom(id)];
    for (const payload of [id, projectRoom(id), payloads, [payloads]]) {
      const listener = await connect(asPerson(matrixEnv, 'stranger'), { auth: payloads, query: { project_id: id } });
      listener.socket.emit('presence', payload);
      await waitUntilRead(listener);
      expect(hasReceived(listener, await arrive([listener]))).toBe(false);
      expect(roomsOf(listener)).toEqual([sessionRoom(sessionOf(matrixEnv.people.stranger))]);
      for (const event of events) {
        const { socket } = await connect(asPerson(matrixEnv, 'stranger'));
        const closed = new Promise((resolve) => socket.once('disconnect', resolve));
        socket.emit(event, payload);
        await closed;
      }
    }
    await expect(namespace(projectRoom(id))).rejects.toThrow('transport');
  });

  it('T4, I8: are left with the project: a removed member receives no later event', async () => {
    for (const role of ROLES) {
      const leaver = await person(matrixEnv.served.testEnv);
      await join(matrixEnv.project, leaver, role);
      const [listener, stayer] = [await connect(headersOf(leaver)), await connect(asPerson(matrixEnv, 'owner'))];
      expect(hasReceived(listener, await arrive([listener]))).toBe(true);
      await matrixEnv.project.owner.call(removeMember, { params: { id: matrixEnv.ids.project, user_id: leaver.id } });
      // One relay round publishes both: the removal, and an item after it.
      const after = await arrive([listener, stayer]);
      expect([hasReceived(listener, after), hasReceived(stayer, after)]).toEqual([false, true]);
      expect(roomsOf(listener)).toEqual([sessionRoom(sessionOf(leaver))]);
      expect(listener.received.at(-1)).toMatchObject({
        event: 'resync',
        text: expect.stringContaining('membership') as string,
      });
    }
  });
});

describe('T5: every event', () => {
  it('every event that a client may send has a row, and the server listens to nothing else', async () => {
    const { inside: socket } = await connect(asPerson(matrixEnv, 'owner'));
    const own = new Set(['error', 'disconnect', 'disconnecting']);
    expect(socket.eventNames().filter((event) => !own.has(String(event)))).toEqual(Object.keys(ALLOWED_SENDERS));
  });

  it.each(everybody)('of presence from a %s reaches exactly the members in its row (PR1)', async (who) => {
    const [listener, owner] = [await connect(asPerson(matrixEnv, who)), await connect(asPerson(matrixEnv, 'owner'))];
    await Promise.all([live.present(), listener.caughtUp()]);
    const item = randomUUID();
    listener.socket.emit('presence', { project_id: matrixEnv.ids.project, item_id: item, idle: false });
    // A packet with an acknowledgement comes after it: the server has handled the event.
    await waitUntilRead(listener);
    await live.present();
    await Promise.all([listener, owner].map((each) => each.caughtUp()));
    const may = ALLOWED_SENDERS.presence.includes(who);
    expect([hasReceived(owner, item), hasReceived(listener, item)]).toEqual([may, may]);
    expect(listener.received.some(({ event }) => event === 'presence')).toBe(may);
    if (!may) expect(JSON.stringify(owner.received)).not.toContain(matrixEnv.people[who].id);
  });

  it('PM5: about an offer reaches every socket of that person, and nobody else’s', async () => {
    const guest = matrixEnv.people.stranger;
    const [first, second] = [await connect(headersOf(guest)), await connect(headersOf(guest))];
    const others = [
      await connect(headersOf(matrixEnv.project.owner)),
      await connect(headersOf(matrixEnv.people.reviewer)),
    ];
    const told = [first, second].map(offersNotified);
    const id = await offerTo(matrixEnv.project, guest.wallet.address);
    await Promise.all(told);
    await live.deliverEvents();
    for (const listener of [first, second, ...others]) await listener.caughtUp();
    for (const { received } of others) expect(received.map(({ event }) => event)).not.toContain('offers');
    // Nothing names the invitee or lets them see anything of the project.
    expect(roomsOf(first)).toEqual([sessionRoom(sessionOf(guest))]);
    for (const listener of others) expect(hasReceived(listener, guest.id)).toBe(false);
    const answered = offersNotified(second);
    await guest.call(declineOffer, { params: { id } });
    await answered;
  });

  it('every event that a client may receive has a row', () => {
    const received = new Set(open.flatMap((listener) => listener.received.map(({ event }) => event)));
    expect([...received].sort()).toEqual(Object.keys(HEARS).sort());
  });

  it('A4: reaches no socket of a session that has ended', async () => {
    const who = await person(matrixEnv.served.testEnv, matrixEnv.project.owner.wallet);
    const listener = await connect(headersOf(who));
    const closed = new Promise((resolve) => listener.socket.once('disconnect', resolve));
    await who.call(endSession);
    expect(await closed).toBe('io server disconnect');
    const { id } = await matrixEnv.project.pipeline.submit(aSubmission());
    await live.deliverEvents();
    expect(hasReceived(listener, id)).toBe(false);
  });
});

/** Resolves at the notification that this person's offers changed. */
const offersNotified = ({ socket }: Listener) => new Promise<void>((resolve) => socket.once('offers', resolve));

/** Connects an owner to a namespace of this name. Returns the error. */
async function namespace(name: string): Promise<void> {
  const extraHeaders = asPerson(matrixEnv, 'owner');
  const options = { transports: ['websocket'], reconnection: false, forceNew: true, extraHeaders };
  const socket = connectSocket(new URL(`/${name}`, live.url).href, options);
  await new Promise<void>((resolve, reject) => {
    socket.once('connect_error', reject);
    socket.once('disconnect', (reason) => reject(new Error(reason)));
    socket.once('connect', resolve);
  }).finally(() => socket.close());
}
