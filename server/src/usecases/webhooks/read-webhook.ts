// Reads the endpoints of a project: URL, state, health, and which secrets sign.
import type { DeliveredEvent } from '@countersign/shared/enums';
import { type WebhookHealth, webhookHealthOf } from '@countersign/shared/figures';
import { NEWEST_ARRIVED } from '../../db/endpoint-health.ts';
import { Project } from '../../db/entities/project.ts';
import { WebhookEndpoint } from '../../db/entities/webhook-endpoint.ts';
import { rawQuery } from '../../db/raw-query.ts';
import { RETRYING_OF_ENDPOINT } from '../../db/retrying-deliveries.ts';
import { secretsOf, settle } from '../../domain/webhooks/signing.ts';
import { notFound, requirePermission } from '../access/membership.ts';
import type { MemberActor, Services } from '../services.ts';

export interface WebhookView {
  url: string | null;
  state: 'active' | 'paused';
  /** Consecutive attempts that failed because of the receiver. */
  failures: number;
  /** Until when the circuit breaker makes no attempts (WH5). */
  restsUntil: Date | null;
  revealed: boolean;
  rolling: boolean;
  promoteAt: Date | null;
  previousUntil: Date | null;
  /** Of the last rotation, or the usual one. */
  overlapHours: number;
}

/** For owners; changes that are due by the clock are applied. Errors: `not_found`, `forbidden`. */
export async function readWebhook(services: Services, actor: MemberActor, projectId: string): Promise<WebhookView> {
  const { project, endpoint } = await services.db.read(async (em) => {
    await requirePermission(em, { userId: actor.userId, projectId }, 'manage_webhook');
    return {
      project: await em.findOneOrFail(Project, { id: projectId }),
      endpoint: await em.findOneOrFail(WebhookEndpoint, { id: projectId }),
    };
  });
  return viewOf(endpoint, project, services.clock.now());
}

function viewOf(endpoint: WebhookEndpoint, { webhookUrl }: Pick<Project, 'webhookUrl'>, now: Date): WebhookView {
  const { next, promoteAt, previousUntil, overlapHours } = settle(secretsOf(endpoint), now);
  const { state, failures, revealed } = endpoint;
  const secret = { revealed, rolling: next !== null, promoteAt, previousUntil, overlapHours };
  const url = endpoint.url ?? webhookUrl ?? null;
  return { url, state, failures, restsUntil: endpoint.openUntil ?? null, ...secret };
}

export interface EndpointView extends WebhookView {
  id: string;
  url: string;
  description: string;
  events: DeliveredEvent[];
  isEnabled: boolean;
  /** The one of the settings. */
  isDefault: boolean;
  /** WH10, for this endpoint alone. */
  status: WebhookHealth;
  retrying: number;
  createdAt: Date;
}

/** $1: the project. One row per endpoint. */
const HEALTH = `
  select e.id, ${NEWEST_ARRIVED} as arrived, ${RETRYING_OF_ENDPOINT} as retrying from webhook_endpoint e where e.project_id = $1`;

/** For owners: those that have a URL, the one of the settings first. Errors: `not_found`, `forbidden`. */
export async function listEndpoints(
  services: Services,
  actor: MemberActor,
  projectId: string,
): Promise<EndpointView[]> {
  const { project, endpoints, health } = await services.db.read(async (em) => {
    await requirePermission(em, { userId: actor.userId, projectId }, 'manage_webhook');
    const rows = await rawQuery<{ id: string; arrived: boolean | null; retrying: string | number }>(em, HEALTH, [
      projectId,
    ]);
    return {
      project: await em.findOneOrFail(Project, { id: projectId }),
      endpoints: await em.find(
        WebhookEndpoint,
        { projectId, removedAt: null },
        { orderBy: { createdAt: 'asc', id: 'asc' } },
      ),
      health: new Map(rows.map((row) => [row.id, row])),
    };
  });
  const now = services.clock.now();
  const all = endpoints.flatMap((endpoint): EndpointView[] => {
    const { id, description, isEnabled, state, createdAt } = endpoint;
    const view = viewOf(endpoint, project, now);
    if (view.url === null) return [];
    const retrying = Number(health.get(id)?.retrying ?? 0);
    const facts = { set: true, paused: state === 'paused', newestArrived: health.get(id)?.arrived ?? null, retrying };
    const about = { id, description, events: endpoint.events ?? project.webhookEvents, isEnabled, createdAt };
    return [
      { ...view, ...about, url: view.url, isDefault: id === projectId, status: webhookHealthOf(facts), retrying },
    ];
  });
  return [...all.filter(({ isDefault }) => isDefault), ...all.filter(({ isDefault }) => !isDefault)];
}

/** One of them. Errors: `not_found`, `forbidden`. */
export async function readEndpoint(
  services: Services,
  actor: MemberActor,
  { projectId, endpointId }: { projectId: string; endpointId: string },
): Promise<EndpointView> {
  const found = (await listEndpoints(services, actor, projectId)).find(({ id }) => id === endpointId);
  if (found === undefined) throw notFound();
  return found;
}
