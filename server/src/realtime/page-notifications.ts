// Notifies open pages of what is not in the event log: figures (AN8), offers (PM5), revocations (A20).
import { ROLES } from '@countersign/shared/enums';
import { type LiveServer, userRoom, sessionRoom, projectOfRoom, projectRoom, socketsOf, type Rooms } from './rooms.ts';
import {
  OFFERED,
  CLAIMS_ENDED,
  SESSIONS_ENDED,
  COUNTED,
  parseAdvances,
  EVENTS_SEQUENCED,
} from '../db/connection/channels.ts';
import type { Signals } from '../db/connection/signals.ts';
import type { Services } from '../usecases/services.ts';
import { Slices } from './slices.ts';
import { may } from '../domain/access/permissions.ts';

/** Interval of the lock store probe, in milliseconds. */
export const PROBE_MS = 1000;

export interface Assignment {
  /** Probes the lock store, and notifies every socket of this process on a change; for a loop. */
  runOnce(): Promise<void>;
}

/** Sends the state to each new socket. `answers`: does the lock store respond? */
export function createAssignment(io: LiveServer, answers: () => Promise<boolean>): Assignment {
  let degraded = false;
  io.on('connection', (socket) => socket.emit('assignment', { degraded }));
  return {
    runOnce: async () => {
      // One slow response says little; two in a row affect claims too.
      const now = !(await answers()) && !(await answers());
      if (now === degraded) return;
      degraded = now;
      io.local.emit('assignment', { degraded });
    },
  };
}

/** Forwards notifications to this process's sockets; every process receives them. Lost ones may concern any user. */
export function notifyOffers(signals: Signals, io: LiveServer): Promise<void> {
  signals.onReconnected(() => void io.local.emit('offers'));
  return signals.on(OFFERED, (userId) => void io.local.to(userRoom(userId)).emit('offers'));
}

/**
 * Every process receives them and closes its own sockets; if the notification was lost, the sweep finds the session
 * within a minute.
 */
export async function handleOperatorRevocations(
  { log, claims }: Pick<Services, 'log' | 'claims'>,
  { signals, io }: { signals: Signals; io: LiveServer },
): Promise<void> {
  await signals.on(SESSIONS_ENDED, (payload) => {
    const ids = payload.split(',');
    log.info({ sessions: ids.length }, 'operator ended sessions');
    for (const id of ids) io.local.in(sessionRoom(id)).disconnectSockets(true);
  });
  await signals.on(CLAIMS_ENDED, (payload) => {
    for (const entry of payload.split(',')) {
      const [itemId = '', userId = '', fence] = entry.split(':');
      // A store that is down expires it automatically.
      void claims.release({ itemId, userId, fence: Number(fence) }).catch(() => undefined);
    }
  });
}

/** The minimum time between two ticks, in milliseconds. */
export const METRICS_MS = 1000;

interface Metrics {
  /** Listens for changed projects; calls `wake` when a tick is due. */
  listen(signals: Signals, wake: () => void): Promise<void>;
  /** One tick for some of the projects that changed since the last one, and for the next ones with the next run; for a loop. */
  runOnce(): Promise<{ again: boolean }>;
}

/** The roles that may see analytics, as an SQL list. */
const ANALYTICS_ROLES = ROLES.filter((role) => may(role, 'see_analytics'));

export function createMetrics(services: Services, io: LiveServer, rooms: () => Rooms): Metrics {
  const changed = new Set<string>();
  const slices = new Slices();
  const takeChanged = () => {
    const due = [...changed];
    changed.clear();
    return due;
  };
  const { rooms: sockets } = io.of('/').adapter;
  return {
    listen: async (signals, wake) => {
      const mark = (projectIds: string[]) => {
        const known = projectIds.filter((projectId) => rooms().has(projectId));
        for (const projectId of known) changed.add(projectId);
        if (known.length > 0) wake();
      };
      signals.onReconnected(() =>
        mark([...io.of('/').adapter.rooms.keys()].flatMap((room) => projectOfRoom(room) ?? [])),
      );
      await signals.on(EVENTS_SEQUENCED, (payload) => mark(parseAdvances(payload).map(({ projectId }) => projectId)));
      await signals.on(COUNTED, (projectId) => mark([projectId]));
    },
    runOnce: async () => {
      const due = slices.next(takeChanged, (projectId) => sockets.get(projectRoom(projectId))?.size ?? 0);
      if (due.length === 0) return { again: false };
      const recipients = await recipientsOf(services, due).catch((error: unknown) => {
        // The notification failed: it is sent when the database responds again.
        slices.putBack(due);
        throw error;
      });
      for (const recipient of recipients) emitTick(io, recipient);
      return { again: slices.again };
    },
  };
}

interface Recipient {
  project_id: string;
  user_id: string;
  seq: string;
}

/** Read before each notification: a member who lost the permission receives nothing. */
function recipientsOf(services: Services, projectIds: readonly string[]): Promise<Recipient[]> {
  return services.db.read((em) =>
    em.execute<Recipient[]>(
      `select m.project_id, m.user_id, p.event_seq as seq from member m join project p on p.id = m.project_id
       where m.project_id = any(?::uuid[]) and m.role = any(?::text[])`,
      [`{${projectIds.join(',')}}`, `{${ANALYTICS_ROLES.join(',')}}`],
    ),
  );
}

/** To every socket of this process that the user has in the project's room. */
function emitTick(io: LiveServer, { project_id, user_id, seq }: Recipient): void {
  for (const socket of socketsOf(io, user_id))
    if (socket.rooms.has(projectRoom(project_id))) socket.emit('metrics', { project_id, seq: Number(seq) });
}
