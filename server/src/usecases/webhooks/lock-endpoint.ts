// Locks an endpoint of a project for a change.
import type { Tx } from '../../db/database.ts';
import { WebhookEndpoint } from '../../db/entities/webhook-endpoint.ts';
import { notFound } from '../access/membership.ts';

export interface EndpointRef {
  projectId: string;
  /** The project's ID stands for the endpoint of its settings (WH12). */
  endpointId: string;
}

/** Locks an endpoint until the transaction ends, and returns its current row. Errors: `not_found`, also for a removed one. */
export async function lockEndpoint({ em }: Tx, { projectId, endpointId }: EndpointRef): Promise<WebhookEndpoint> {
  const found = await em.execute<unknown[]>(
    'select 1 from webhook_endpoint where id = ? and project_id = ? and removed_at is null for update',
    [endpointId, projectId],
  );
  if (found.length === 0) throw notFound();
  return em.findOneOrFail(WebhookEndpoint, { id: endpointId }, { refresh: true });
}
