// Tests the position that a socket is told when it enters a room to which events are being sent (QU4).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { aSubmission, join, openProject } from '../../builders.ts';
import { person, type Person } from '../../client.ts';
import type { Services } from '../../../src/usecases/services.ts';
import { serve, type Served } from '../support/http-server.ts';
import { type Listener, startLiveServer, type LiveTestServer } from '../support/live-server.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
let served: Served;
let live: LiveTestServer;
/** What happens after each of the next readings of memberships, before their rows are used. */
const afterReading: (() => Promise<void>)[] = [];

beforeAll(async () => {
  served = await serve(inside.services);
  const { db } = inside.services;
  const read: Services['db']['read'] = async (work) => {
    const rows = await db.read(work);
    if (hasPositions(rows)) await afterReading.shift()?.();
    return rows;
  };
  live = await startLiveServer({ services: { ...inside.services, db: { ...db, read } }, signals: inside.signals });
});
afterAll(async () => {
  await live.close();
  await served.close();
});

/** Whether these are the memberships with the positions of their event logs. */
const hasPositions = (rows: unknown): boolean =>
  Array.isArray(rows) && rows.some((row: object) => 'role' in row && 'seq' in row);

const connect = (who: Person) => live.connect({ origin: who.testEnv.baseUrl, cookie: who.cookieHeader() });

/** A project in whose room somebody already is, and a member whose socket has not entered. */
async function followedProject() {
  const project = await openProject(await person(served.testEnv));
  const [first, second] = [await person(served.testEnv), await person(served.testEnv)];
  await join(project, first);
  await join(project, second);
  await live.deliverEvents();
  await connect(first);
  await live.deliverEvents();
  return { project, second };
}

async function headOf(projectId: string): Promise<number> {
  const [row] = await inside.sql<{ seq: string }>('select event_seq as seq from project where id = ?', [projectId]);
  return Number(row?.seq);
}

interface Entry {
  /** The positions that the socket is told when it enters. */
  told: number[];
  /** The `seq` of the events that it receives. */
  events: number[];
}

function entryOf({ received }: Listener): Entry {
  const seqsOf = (name: string) =>
    received
      .filter(({ event }) => event === name)
      .flatMap(({ text }) => (JSON.parse(text) as { seq: number }[][]).flat().map(({ seq }) => seq));
  return { told: seqsOf('rooms'), events: seqsOf('events') };
}

it('is that of the last event that was sent to the room before the socket was in it', async () => {
  const { project, second } = await followedProject();
  const before = await headOf(project.id);
  afterReading.push(async () => {
    await project.pipeline.submit(aSubmission());
    await live.deliverEvents();
  });
  const socket = await connect(second);
  await live.deliverEvents();
  await socket.caughtUp();
  expect(entryOf(socket)).toEqual({ told: [before + 1], events: [] });
});

it('is that of the frame before, between two frames of one batch', async () => {
  const { project, second } = await followedProject();
  const before = await headOf(project.id);
  const third = await person(served.testEnv);
  const { promise: isBetween, resolve: reachBetween } = Promise.withResolvers<undefined>();
  const { promise: hasEntered, resolve: finishEntry } = Promise.withResolvers<undefined>();
  let sent: Promise<void> | undefined;
  afterReading.push(
    async () => {
      await project.pipeline.submit(aSubmission());
      await join(project, third);
      sent = live.deliverEvents();
      await isBetween;
    },
    // The room is synced before the event that names the new member, and after the one before it.
    async () => {
      reachBetween(undefined);
      await hasEntered;
    },
  );
  const socket = await connect(second);
  finishEntry(undefined);
  await sent;
  await socket.caughtUp();
  const { told, events } = entryOf(socket);
  const [from = 0, head] = [told[0], await headOf(project.id)];
  expect(from).toBeGreaterThan(before);
  expect(events).toEqual(Array.from({ length: head - from }, (_, n) => from + n + 1));
});
