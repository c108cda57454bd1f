// Notifies open pages of what is not in the event log: degraded assignment (LC6), offers (PM5), revoked sessions (A20).
import { type LiveServer, userRoom, sessionRoom } from './rooms.ts';
import { OFFERED, CLAIMS_ENDED, SESSIONS_ENDED } from '../db/connection/channels.ts';
import type { Signals } from '../db/connection/signals.ts';
import type { Services } from '../usecases/services.ts';

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

/** Forwards notifications to this process's sockets; every process receives them. */
export function notifyOffers(signals: Signals, io: LiveServer): Promise<void> {
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
