// Presents a user's own sessions in the wire format: browser and time, nothing that grants access.
import type { Account, OwnSession } from '@countersign/shared/schemas/session';
import type { Session } from '../db/entities/session.ts';

/** `currentId` is the session of the request. */
export function presentOwnSession(session: Session, currentId: string): OwnSession {
  return {
    id: session.id,
    device: session.device ?? null,
    created_at: session.createdAt.toISOString(),
    last_seen_at: session.lastSeenAt.toISOString(),
    expires_at: session.expiresAt.toISOString(),
    current: session.id === currentId,
    abilities: { end: true },
  };
}

/** The personal settings of a user. */
export const presentAccount = ({ name, directAdding }: { name: string | null; directAdding: boolean }): Account => ({
  name,
  direct_adding: directAdding,
});
