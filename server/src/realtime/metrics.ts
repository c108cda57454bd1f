// Tells those who may see the analytics of a project that its figures moved: at most once a second, however much happens (AN8).
import { COUNTED, parseStamped, STAMPED } from '../db/channels.ts';
import type { Signals } from '../db/signals.ts';
import { ROLES } from '@countersign/shared/words';
import { may } from '../domain/permissions.ts';
import type { Services } from '../usecases/services.ts';
import { projectRoom, type LiveServer, type Rooms } from './rooms.ts';

/** The shortest time between two ticks, in milliseconds. */
export const METRICS_MS = 1000;

export interface Metrics {
  /** Hears which projects move; `nudge` is called when a tick is due. */
  listen(signals: Signals, nudge: () => void): Promise<void>;
  /** One tick for whatever moved since the last one; for a loop. */
  runOnce(): Promise<void>;
}

/** Roles as a list of SQL: who may see analytics. */
const SEEING = ROLES.filter((role) => may(role, 'see_analytics'));

export function createMetrics(services: Services, io: LiveServer, rooms: () => Rooms): Metrics {
  let moved = new Set<string>();
  return {
    listen: async (signals, nudge) => {
      const hear = (projectIds: string[]) => {
        const heard = projectIds.filter((projectId) => rooms().has(projectId));
        for (const projectId of heard) moved.add(projectId);
        if (heard.length > 0) nudge();
      };
      await signals.on(STAMPED, (payload) => hear(parseStamped(payload).map(({ projectId }) => projectId)));
      await signals.on(COUNTED, (projectId) => hear([projectId]));
    },
    runOnce: async () => {
      const telling = moved;
      moved = new Set();
      if (telling.size === 0) return;
      const seats = await seatsOf(services, telling).catch((error: unknown) => {
        // Nobody was told: they are when the database answers again.
        for (const projectId of telling) moved.add(projectId);
        throw error;
      });
      for (const seat of seats) tell(io, seat);
    },
  };
}

interface Seat {
  project_id: string;
  user_id: string;
  seq: string;
}

/** Asked before each telling: whoever lost the right meanwhile hears nothing. */
function seatsOf(services: Services, projectIds: ReadonlySet<string>): Promise<Seat[]> {
  return services.db.read((em) =>
    em.execute<Seat[]>(
      `select m.project_id, m.user_id, p.event_seq as seq from member m join project p on p.id = m.project_id
       where m.project_id = any(?::uuid[]) and m.role = any(?::text[])`,
      [`{${[...projectIds].join(',')}}`, `{${SEEING.join(',')}}`],
    ),
  );
}

/** To every socket of ours that this person has in the project's room. */
function tell(io: LiveServer, { project_id, user_id, seq }: Seat): void {
  const { adapter, sockets } = io.of('/');
  for (const id of adapter.rooms.get(projectRoom(project_id)) ?? []) {
    const socket = sockets.get(id);
    if (socket?.data.userId === user_id) socket.emit('metrics', { project_id, seq: Number(seq) });
  }
}
