// Reads the webhook of a project: URL, state, and which secrets sign.
import { Project } from '../../db/entities/project.ts';
import { WebhookEndpoint } from '../../db/entities/webhook-endpoint.ts';
import { secretsOf, settle } from '../../domain/webhooks/signing.ts';
import { requirePermission } from '../access/membership.ts';
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
      endpoint: await em.findOneOrFail(WebhookEndpoint, { projectId }),
    };
  });
  const { next, promoteAt, previousUntil, overlapHours } = settle(secretsOf(endpoint), services.clock.now());
  const { state, failures, revealed } = endpoint;
  return {
    url: project.webhookUrl ?? null,
    state,
    failures,
    restsUntil: endpoint.openUntil ?? null,
    revealed,
    rolling: next !== null,
    promoteAt,
    previousUntil,
    overlapHours,
  };
}
