// Follows every event log and sends its events, in order and without gaps, to this process's sockets.
import { COALESCE_MS } from '@countersign/shared/sockets';
import { parseAdvances, EVENTS_SEQUENCED } from '../db/connection/channels.ts';
import { Event } from '../db/entities/event.ts';
import { HAS_AUDITS } from '../db/audits/has-audits.ts';
import type { Signals } from '../db/connection/signals.ts';
import { presentDomainEvent, revealsAudit } from '../presenters/domain-event.ts';
import type { Services } from '../usecases/services.ts';
import { blindRoom, projectRoom, type LiveServer, type Rooms } from './rooms.ts';

const BATCH = 500;

export interface Tail {
  /** Sends new events; for a loop. */
  runOnce(): Promise<{ again: boolean }>;
  /**
   * A socket has entered the room, with `seq` read before. Returns the position after which it receives every event (QU4): what was
   * sent to the room before it entered did not reach it.
   */
  watch(projectId: string, seq: number): number;
  listen(signals: Signals, wake: () => void): Promise<void>;
}

/** The minimum time between two frames of a room, in milliseconds: a burst becomes one frame. */
export const FRAME_MS = COALESCE_MS;

/** See decision 0003. */
export function createTail(services: Services, io: LiveServer, rooms: () => Rooms): Tail {
  /** The last position sent, per project with listeners or with a recent notification. */
  const cursors = new Map<string, number>();
  const watch = (projectId: string, seq: number) => {
    const cursor = cursors.get(projectId) ?? seq;
    cursors.set(projectId, cursor);
    return Math.max(cursor, seq);
  };

  return {
    watch,
    listen: (signals, wake) =>
      signals.on(EVENTS_SEQUENCED, (payload) => {
        // Without listeners, only events that may grant access need to be read.
        const followed = parseAdvances(payload).filter(({ projectId, changed }) => changed || rooms().has(projectId));
        for (const { projectId, seq } of followed) watch(projectId, seq - 1);
        if (followed.length > 0) wake();
      }),
    runOnce: async () => {
      let again = false;
      const watched = [...cursors.keys()];
      const positions = new Map(await positionsOf(services, cursors));
      // A completely deleted project produces no event: members still in its room are removed (AR2).
      for (const projectId of watched.filter((id) => !positions.has(id))) {
        await rooms().sync(projectId);
        cursors.delete(projectId);
      }
      for (const [projectId, seq] of positions) {
        const cursor = cursors.get(projectId);
        if (cursor !== undefined && cursor < seq) {
          const followed = rooms().has(projectId);
          const events = await readAfter(services, { projectId, cursor, followed });
          // With each frame: a socket that enters between two of them has missed the first.
          const onSent = (last: number) => followed && cursors.set(projectId, last);
          await sendInOrder(services, { projectId, events, io, rooms: rooms(), onSent });
          // A room that opened meanwhile must receive the skipped events.
          const missed = !followed && rooms().has(projectId);
          if (!missed) cursors.set(projectId, events.at(-1)?.seq ?? cursor);
          again ||= missed || events.length === BATCH;
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
  /** Called in the same turn as a frame is sent, with the position of its last event. */
  onSent: (seq: number) => void;
}

/** Sends events to the room in order, in one frame unless the members change in between. */
async function sendInOrder(services: Services, out: Frames): Promise<void> {
  const { projectId, events, io, rooms, onSent } = out;
  let frame: Event[] = [];
  const send = async () => {
    const batch = frame;
    frame = [];
    const last = batch.at(-1);
    if (last === undefined) return;
    const room = projectRoom(projectId);
    const hidesAudits = rooms.hasBlind(projectId) && batch.some(revealsAudit) && (await hasAudits(services, projectId));
    const blind = blindRoom(projectId);
    const audiences = hidesAudits
      ? [
          { hidden: false, to: io.local.to(room).except(blind) },
          { hidden: true, to: io.local.to(blind) },
        ]
      : [{ hidden: false, to: io.local.to(room) }];
    for (const { hidden, to } of audiences)
      to.emit(
        'events',
        batch.map((event) => presentDomainEvent(event, { hidden })),
      );
    onSent(last.seq as number);
  };
  for (const event of events) {
    // A removed member leaves before the event that says so, and before every later one (I8).
    if (touchesMembers(event)) {
      await send();
      await rooms.sync(projectId);
    }
    frame.push(event);
  }
  await send();
}

/** AU3: read from the database before each frame to members from whom audits are hidden. */
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

/**
 * The watched event logs and their positions: one query for all, so that the next poll covers a missed notification.
 */
async function positionsOf(services: Services, cursors: Map<string, number>): Promise<[string, number][]> {
  if (cursors.size === 0) return [];
  const rows = await services.db.read((em) =>
    em.execute<{ id: string; seq: string }[]>(`select id, event_seq as seq from project where id = any(?::uuid[])`, [
      `{${[...cursors.keys()].join(',')}}`,
    ]),
  );
  return rows.map((row) => [row.id, Number(row.seq)]);
}

/** Without listeners, only project changes are read: one of them may grant access to a socket of ours. */
function readAfter(
  services: Services,
  { projectId, cursor, followed }: { projectId: string; cursor: number; followed: boolean },
): Promise<Event[]> {
  const batch = { projectId, seq: { $gt: cursor }, ...(followed ? {} : { type: 'project.changed' as const }) };
  return services.db.read((em) => em.find(Event, batch, { orderBy: { seq: 'asc' }, limit: BATCH }));
}
