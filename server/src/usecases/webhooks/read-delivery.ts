// Reads one delivery with its attempts.
import type { Role } from '@countersign/shared/enums';
import { endpointName } from '@countersign/shared/formats/endpoint-name';
import { Attempt } from '../../db/entities/attempt.ts';
import { Delivery } from '../../db/entities/delivery.ts';
import { Item } from '../../db/entities/item.ts';
import { Project } from '../../db/entities/project.ts';
import { WebhookEndpoint } from '../../db/entities/webhook-endpoint.ts';
import type { Em } from '../../db/orm.ts';
import { notFound, requirePermission } from '../access/membership.ts';
import type { MemberActor, Services } from '../services.ts';
import { type DeliveryExtras, extrasOf, NO_EXTRAS } from './delivery-extras.ts';

/** Where deliveries of an endpoint go. */
export interface Target {
  url: string | null;
  /** How pages name it; null for one without URL and description. */
  name: string | null;
  /** It has a URL and is enabled. */
  gets: boolean;
  /** It gets deliveries, and is not paused: a delivery would be attempted now. */
  reachable: boolean;
}
export type Targets = ReadonlyMap<string, Target>;

/** Of an endpoint that was removed. */
const NO_TARGET: Target = { url: null, name: null, gets: false, reachable: false };

export interface DeliveryView {
  delivery: Delivery;
  role: Role;
  /** The target of the next attempt. */
  url: string | null;
  /** Its endpoint gets deliveries, and is not paused. */
  reachable: boolean;
  targets: Targets;
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
    const targets = await targetsOf(em, delivery.projectId);
    const { url, reachable } = targets.get(endpointIdOf(delivery)) ?? NO_TARGET;
    const attempts = await em.find(Attempt, { deliveryId: id }, { orderBy: { n: 'desc' }, limit: ATTEMPTS });
    const { traceparent = null } = await em.findOneOrFail(Item, { id: delivery.itemId }, { fields: ['traceparent'] });
    const extras = (await extrasOf(em, [id])).get(id) ?? NO_EXTRAS;
    return { delivery, role, targets, url, reachable, extras, traceparent, attempts };
  });
}

/** The endpoints of a project by ID, the one of its settings first. */
export async function targetsOf(em: Em, projectId: string): Promise<Targets> {
  const { webhookUrl } = await em.findOneOrFail(Project, { id: projectId });
  const endpoints = await em.find(
    WebhookEndpoint,
    { projectId, removedAt: null },
    { orderBy: { createdAt: 'asc', id: 'asc' } },
  );
  const all = endpoints.map((endpoint): [string, Target] => {
    const { id, description, isEnabled, state } = endpoint;
    const url = endpoint.url ?? webhookUrl ?? null;
    const gets = url !== null && isEnabled;
    return [id, { url, name: endpointName({ description, url }), gets, reachable: gets && state === 'active' }];
  });
  return new Map([...all.filter(([id]) => id === projectId), ...all.filter(([id]) => id !== projectId)]);
}

/** The ID of its endpoint. */
export const endpointIdOf = ({ projectId, endpointId }: Pick<Delivery, 'projectId' | 'endpointId'>): string =>
  endpointId ?? projectId;

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
