// The browsers a person is signed in with.
import { Session } from '../../db/entities/session.ts';
import { alive } from './sessions.ts';
import type { MemberActor, Services } from '../services.ts';

/** More than this are not listed; ending all others ends those too. */
const MOST = 100;

/** The actor's own sessions that are not over (A3), the one seen last first, at most 100. */
export function listSessions(services: Services, actor: MemberActor): Promise<Session[]> {
  const own = { userId: actor.userId, ...alive(services.clock.now()) };
  return services.db.read((em) => em.find(Session, own, { orderBy: { lastSeenAt: 'desc', id: 'desc' }, limit: MOST }));
}
