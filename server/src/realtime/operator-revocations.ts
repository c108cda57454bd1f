// Applies the operator's command-line revocations (A20): closes sockets of sessions, and releases locks of claims.
import { CLAIMS_ENDED, SESSIONS_ENDED } from '../db/connection/channels.ts';
import type { Signals } from '../db/connection/signals.ts';
import type { Services } from '../usecases/services.ts';
import { sessionRoom, type LiveServer } from './rooms.ts';

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
