// Reads one delivery with its attempts.
import type { Role } from '@countersign/shared/enums';
import { Attempt } from '../../db/entities/attempt.ts';
import { Delivery } from '../../db/entities/delivery.ts';
import { Item } from '../../db/entities/item.ts';
import { Project } from '../../db/entities/project.ts';
import { WebhookEndpoint } from '../../db/entities/webhook-endpoint.ts';
import type { Em } from '../../db/orm.ts';
import { notFound, requirePermission } from '../access/membership.ts';
import type { MemberActor, Services } from '../services.ts';
import { type DeliveryExtras, extrasOf, NO_EXTRAS } from './delivery-extras.ts';

export interface DeliveryView {
  delivery: Delivery;
  role: Role;
  /** The target of the next attempt. */
  url: string | null;
  /** There is a URL, and its endpoint is not paused. */
  reachable: boolean;
  extras: DeliveryExtras;
  /** The trace context that its attempts carry (WH9). */
  traceparent: string | null;
  /** Newest first. */
  attempts: Attempt[];
}

const ATTEMPTS = 50;

/** Errors: `not_found`, `forbidden`. */
export function readDelivery(services: Services, actor: MemberActor, id: string): Promise<DeliveryView> {
  return services.db.read(async (em) => {
    const { delivery, role } = await findDelivery(em, actor, id);
    const { url, reachable } = await targetOf(em, delivery.projectId);
    const attempts = await em.find(Attempt, { deliveryId: id }, { orderBy: { n: 'desc' }, limit: ATTEMPTS });
    const { traceparent = null } = await em.findOneOrFail(Item, { id: delivery.itemId }, { fields: ['traceparent'] });
    const extras = (await extrasOf(em, [id])).get(id) ?? NO_EXTRAS;
    return { delivery, role, url, reachable, extras, traceparent, attempts };
  });
}

/** The URL of a project's deliveries, and whether a delivery would be attempted now. */
export async function targetOf(em: Em, projectId: string): Promise<{ url: string | null; reachable: boolean }> {
  const { webhookUrl } = await em.findOneOrFail(Project, { id: projectId });
  const { state } = await em.findOneOrFail(WebhookEndpoint, { projectId });
  return { url: webhookUrl ?? null, reachable: Boolean(webhookUrl) && state === 'active' };
}

/** A delivery the actor may see; 404 otherwise, the same as for an id that never existed. */
export async function findDelivery(
  em: Em,
  actor: MemberActor,
  id: string,
): Promise<{ delivery: Delivery; role: Role }> {
  const delivery = await em.findOne(Delivery, { id });
  if (delivery === null) throw notFound();
  const role = await requirePermission(em, { userId: actor.userId, projectId: delivery.projectId }, 'see_deliveries');
  return { delivery, role };
}
