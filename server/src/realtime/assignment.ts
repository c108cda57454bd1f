// Tells every page whether live assignment is degraded: without the lock store, claims rely on the fence alone (LC6).
import type { LiveServer } from './rooms.ts';

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
