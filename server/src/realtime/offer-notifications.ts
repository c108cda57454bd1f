// A person's open pages hear that the seats offered to them changed, and nobody else does (PM5).
import { OFFERED } from '../db/connection/channels.ts';
import type { Signals } from '../db/connection/signals.ts';
import { type LiveServer, userRoom } from './rooms.ts';

/** Passes on to this process's sockets what any process says; every process hears it. */
export function notifyOffers(signals: Signals, io: LiveServer): Promise<void> {
  return signals.on(OFFERED, (userId) => void io.local.to(userRoom(userId)).emit('offers'));
}
