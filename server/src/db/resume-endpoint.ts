// Resumes an endpoint whose URL an owner saved (WH3, WH5).
import type { Tx } from './database.ts';
import { endpointOf } from './endpoint-columns.ts';

/**
 * Deliveries that waited because of a pause are due at once, and earlier failures no longer count: an owner who saves the URL
 * expects it to work. Returns whether the endpoint was paused.
 */
export async function resumeEndpoint({ em }: Tx, endpointId: string): Promise<boolean> {
  const paused = await em.execute<unknown[]>(
    `update webhook_endpoint set state = 'active' where id = ? and state = 'paused' returning 1`,
    [endpointId],
  );
  await em.execute('update webhook_endpoint set failures = 0, openings = 0, open_until = null where id = ?', [
    endpointId,
  ]);
  // By the project too, for the index of its statuses.
  await em.execute(
    `update delivery d set status = 'pending', next_attempt_at = now() from webhook_endpoint e
     where e.id = ? and d.project_id = e.project_id and ${endpointOf('d')} = e.id and d.status = 'paused'`,
    [endpointId],
  );
  return paused.length > 0;
}
