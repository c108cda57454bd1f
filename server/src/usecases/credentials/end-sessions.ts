// Ending one's own sessions: the rows go, and with them at once the sockets, in every process (A4).
import { lockClaimant } from '../claims/claim-limit.ts';
import { notFound } from '../access/membership.ts';
import type { MemberActor, Services } from '../services.ts';

/** Signs out: ends the session that asks. */
export async function signOut(services: Services, actor: MemberActor): Promise<void> {
  await end(services, 'user_id = ? and id = ?', [actor.userId, actor.sessionId]);
}

/** Ends one session of the actor's own. Errors: `not_found`, also when it is somebody else's. */
export async function endSession(services: Services, actor: MemberActor, sessionId: string): Promise<void> {
  const ended = await end(services, 'user_id = ? and id = ?', [actor.userId, sessionId]);
  if (ended === 0) throw notFound();
}

/** Ends every session of the actor but the one that asks. */
export async function endOtherSessions(services: Services, actor: MemberActor): Promise<void> {
  await end(services, 'user_id = ? and id <> ?', [actor.userId, actor.sessionId]);
}

/** Answers how many there were. */
async function end(services: Services, which: string, values: [userId: string, sessionId: string]): Promise<number> {
  const ended = await services.db.write(async ({ em, lockSession }) => {
    // The person first: two of their sessions that end each other take turns, and the second finds itself ended.
    await lockClaimant(em, values[0]);
    // Now and not at the end, when it may be among those that went.
    await lockSession();
    return em.execute<{ id: string }[]>(`delete from session where ${which} returning id`, values);
  });
  // After the commit: whoever connects from here on finds no session, whoever was connected is closed now.
  for (const { id } of ended) services.kick.session(id);
  return ended.length;
}
