// Notifies the open pages of a user, and nobody else's, that their membership offers changed (PM5).
import { OFFERED } from '../db/connection/channels.ts';
import type { Signals } from '../db/connection/signals.ts';
import { type LiveServer, userRoom } from './rooms.ts';

/** Forwards notifications to this process's sockets; every process receives them. */
export function notifyOffers(signals: Signals, io: LiveServer): Promise<void> {
  return signals.on(OFFERED, (userId) => void io.local.to(userRoom(userId)).emit('offers'));
}
