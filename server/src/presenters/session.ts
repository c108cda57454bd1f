// One's own sessions in the words of the wire: which browser and since when, nothing that would let somebody in.
import type { Account, OwnSession } from '@countersign/shared/api/session';
import type { Session } from '../db/entities/session.ts';

/** `currentId` is the session that asks. */
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

/** What a person settled for themself. */
export const presentAccount = ({ name, directAdding }: { name: string | null; directAdding: boolean }): Account => ({
  name,
  direct_adding: directAdding,
});
