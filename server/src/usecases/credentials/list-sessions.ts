// Lists the browsers with which a person is signed in.
import { Session } from '../../db/entities/session.ts';
import { alive } from './sessions.ts';
import type { MemberActor, Services } from '../services.ts';

/** More sessions than this are not listed; ending all others ends those too. */
const MOST = 100;

/** The actor's own live sessions (A3), the last seen first, at most 100. */
export function listSessions(services: Services, actor: MemberActor): Promise<Session[]> {
  const own = { userId: actor.userId, ...alive(services.clock.now()) };
  return services.db.read((em) => em.find(Session, own, { orderBy: { lastSeenAt: 'desc', id: 'desc' }, limit: MOST }));
}
