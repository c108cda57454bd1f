// Ends a person's own sessions: deletes the rows, and closes the sockets at once in every process (A4).
import { lockClaimant } from '../claims/claim-limit.ts';
import { notFound } from '../access/membership.ts';
import type { MemberActor, Services } from '../services.ts';

/** Signs out: ends the session of the request. */
export async function signOut(services: Services, actor: MemberActor): Promise<void> {
  await end(services, 'user_id = ? and id = ?', [actor.userId, actor.sessionId]);
}

/** Ends one session of the actor. Errors: `not_found`, also for someone else's session. */
export async function endSession(services: Services, actor: MemberActor, sessionId: string): Promise<void> {
  const ended = await end(services, 'user_id = ? and id = ?', [actor.userId, sessionId]);
  if (ended === 0) throw notFound();
}

/** Ends every session of the actor except that of the request. */
export async function endOtherSessions(services: Services, actor: MemberActor): Promise<void> {
  await end(services, 'user_id = ? and id <> ?', [actor.userId, actor.sessionId]);
}

/** Returns how many there were. */
async function end(services: Services, which: string, values: [userId: string, sessionId: string]): Promise<number> {
  const ended = await services.db.write(async ({ em, lockSession }) => {
    // The person is locked first: of two sessions that end each other, the second waits and finds itself ended.
    await lockClaimant(em, values[0]);
    // Checked here and not at the commit, when this session may be among the ended ones.
    await lockSession();
    return em.execute<{ id: string }[]>(`delete from session where ${which} returning id`, values);
  });
  // After the commit: a new connection finds no session, and existing ones are closed now.
  for (const { id } of ended) services.kick.session(id);
  return ended.length;
}
