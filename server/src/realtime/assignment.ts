// Whether live assignment is degraded: without the lock store claims go by the fence alone, and every page says so (LC6).
import type { LiveServer } from './rooms.ts';

/** How often the lock store is asked whether it is there, in milliseconds. */
export const PROBE_MS = 1000;

export interface Assignment {
  /** Asks the lock store, and tells every socket of this process when the answer changed; for a loop. */
  runOnce(): Promise<void>;
}

/** Tells each new socket how it stands. `answers`: does the lock store answer? */
export function createAssignment(io: LiveServer, answers: () => Promise<boolean>): Assignment {
  let degraded = false;
  io.on('connection', (socket) => socket.emit('assignment', { degraded }));
  return {
    runOnce: async () => {
      // One answer that was late says little; two in a row are what claims meet too.
      const now = !(await answers()) && !(await answers());
      if (now === degraded) return;
      degraded = now;
      io.local.emit('assignment', { degraded });
    },
  };
}
