// Follows every ledger and hands its facts, in order and without gaps, to this process's own sockets (decision 0003).
import { COALESCE_MS } from '@countersign/shared/sockets';
import { parseStamped, STAMPED } from '../db/channels.ts';
import { Event } from '../db/entities/event.ts';
import { HAS_AUDITS } from '../db/has-audits.ts';
import type { Signals } from '../db/signals.ts';
import { presentFact, tellsApart } from '../presenters/fact.ts';
import type { Services } from '../usecases/services.ts';
import { blindRoom, projectRoom, type LiveServer, type Rooms } from './rooms.ts';

const BATCH = 500;

export interface Tail {
  /** Sends what is new; for a loop. */
  runOnce(): Promise<{ again: boolean }>;
  /** A socket entered the room: nothing up to `seq` needs sending to it, everything after does. */
  watch(projectId: string, seq: number): void;
  listen(signals: Signals, nudge: () => void): Promise<void>;
}

/** The shortest time between two frames of a room, in milliseconds: a burst is one frame. */
export const FRAME_MS = COALESCE_MS;

export function createTail(services: Services, io: LiveServer, rooms: () => Rooms): Tail {
  /** The last position handed out, per project that has listeners or has just been heard of. */
  const cursors = new Map<string, number>();
  const watch = (projectId: string, seq: number) => {
    if (!cursors.has(projectId)) cursors.set(projectId, seq);
  };

  return {
    watch,
    listen: (signals, nudge) =>
      signals.on(STAMPED, (payload) => {
        // Where nobody listens, only what may let somebody in is worth a question.
        const heard = parseStamped(payload).filter(({ projectId, changed }) => changed || rooms().has(projectId));
        for (const { projectId, seq } of heard) watch(projectId, seq - 1);
        if (heard.length > 0) nudge();
      }),
    runOnce: async () => {
      let again = false;
      const watched = [...cursors.keys()];
      const ledgers = new Map(await grown(services, cursors));
      // A project that is gone to its last row tells nobody so: whoever is still in its room is sent home (AR2).
      for (const projectId of watched.filter((id) => !ledgers.has(id))) {
        await rooms().sync(projectId);
        cursors.delete(projectId);
      }
      for (const [projectId, seq] of ledgers) {
        const cursor = cursors.get(projectId);
        if (cursor !== undefined && cursor < seq) {
          const heard = rooms().has(projectId);
          const events = await readAfter(services, { projectId, cursor, heard });
          await handOut(services, { projectId, events, io, rooms: rooms() });
          // A room that opened meanwhile is owed what was passed over.
          const owed = !heard && rooms().has(projectId);
          if (!owed) cursors.set(projectId, events.at(-1)?.seq ?? cursor);
          again ||= owed || events.length === BATCH;
        }
        if (!rooms().has(projectId)) cursors.delete(projectId);
      }
      return { again };
    },
  };
}

interface Frames {
  projectId: string;
  events: Event[];
  io: LiveServer;
  rooms: Rooms;
}

/** Sends events to the room in order, in one frame unless the members change on the way. */
async function handOut(services: Services, out: Frames): Promise<void> {
  const { projectId, events, io, rooms } = out;
  let frame: Event[] = [];
  const send = async () => {
    const facts = frame;
    frame = [];
    if (facts.length === 0) return;
    const room = projectRoom(projectId);
    const keptBack = rooms.hasBlind(projectId) && facts.some(tellsApart) && (await hasAudits(services, projectId));
    if (!keptBack) {
      io.local.to(room).emit(
        'events',
        facts.map((event) => presentFact(event)),
      );
      return;
    }
    for (const [hidden, to] of [
      [false, io.local.to(room).except(blindRoom(projectId))],
      [true, io.local.to(blindRoom(projectId))],
    ] as const)
      to.emit(
        'events',
        facts.map((event) => presentFact(event, { hidden })),
      );
  };
  for (const event of events) {
    // Whoever is no member any more leaves before the fact that says so, and before every later one (I8).
    if (touchesMembers(event)) {
      await send();
      await rooms.sync(projectId);
    }
    frame.push(event);
  }
  await send();
}

/** AU3: asked of the database before each telling to somebody it is kept from. */
async function hasAudits(services: Services, projectId: string): Promise<boolean> {
  const rows = await services.db.read((em) =>
    em.execute(`select from project p where p.id = ? and ${HAS_AUDITS}`, [projectId]),
  );
  return rows.length > 0;
}

function touchesMembers(event: Event): boolean {
  const changed = event.type === 'project.changed' ? event.data.changed : null;
  return Array.isArray(changed) && changed.includes('members');
}

/** The watched ledgers and how far each has grown: one question for all, so that a missed ring is found by the next poll. */
async function grown(services: Services, cursors: Map<string, number>): Promise<[string, number][]> {
  if (cursors.size === 0) return [];
  const rows = await services.db.read((em) =>
    em.execute<{ id: string; seq: string }[]>(`select id, event_seq as seq from project where id = any(?::uuid[])`, [
      `{${[...cursors.keys()].join(',')}}`,
    ]),
  );
  return rows.map((row) => [row.id, Number(row.seq)]);
}

/** Where nobody listens only changes of the project are read: one of them may let a socket of ours in. */
function readAfter(
  services: Services,
  { projectId, cursor, heard }: { projectId: string; cursor: number; heard: boolean },
): Promise<Event[]> {
  const facts = { projectId, seq: { $gt: cursor }, ...(heard ? {} : { type: 'project.changed' as const }) };
  return services.db.read((em) => em.find(Event, facts, { orderBy: { seq: 'asc' }, limit: BATCH }));
}
