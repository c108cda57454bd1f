// Lists alerts about webhooks (WH6) and automatic answers (AU5): those an owner has not seen, and those of a project.
import { DEAD_COUNTED } from '@countersign/shared/limits';
import type { ProjectAlert, WebhookAlert as WireAlert } from '@countersign/shared/schemas/alerts';
import { ROLES, WEBHOOK_ALERT_KINDS } from '@countersign/shared/enums';
import { deadUpTo } from '../../db/dead-deliveries.ts';
import { endpointOf, GETS_DELIVERIES } from '../../db/endpoint-columns.ts';
import { WebhookAlert } from '../../db/entities/webhook-alert.ts';
import { inList } from '../../db/in-list.ts';
import { may } from '../../domain/access/permissions.ts';
import { requirePermission } from '../access/membership.ts';
import type { MemberActor, Services } from '../services.ts';
import { endpointIdOf, type Targets, targetsOf } from './read-delivery.ts';

/** Older alerts are of no interest, and nobody reads those of more projects at once. */
const LISTED = 20;

const ALERTED_ROLES = ROLES.filter((role) => may(role, 'manage_webhook'));

export type AlertRow = Omit<ProjectAlert, 'created_at' | 'dead'> & {
  created_at: string | Date;
  dead: string | number;
};

/** An alert, and its endpoint where that has to be named. */
export interface AlertView {
  alert: WebhookAlert;
  endpoint: WireAlert['endpoint'];
}

/**
 * The latest alert of each project that still applies; it replaces those before
 * it. Members get no alerts from before they joined. Those they have seen are not read: ten endpoints may leave 20,000 in
 * ninety days.
 */
export const UNSEEN_ALERTS = `
  select a.id, a.kind, a.delivery_id, a.attempts, a.http_status, a.error, a.created_at,
    a.endpoint_id,
    p.id as project_id, p.name as project_name,
    case when a.kind in (${inList(WEBHOOK_ALERT_KINDS)}) then ${deadUpTo(endpointOf('a'), DEAD_COUNTED + 1)} else 0 end as dead
  from member m
  join project p on p.id = m.project_id and p.archived_at is null and p.deleted_at is null
  cross join lateral (
    select a.* from webhook_alert a
    left join webhook_endpoint e on e.id = ${endpointOf('a')}
    where a.project_id = p.id and a.created_at > coalesce(m.alerts_seen_at, m.created_at) and case
      when kind = 'over_budget' then p.over_budget_since is not null
      when kind = 'threshold_raised' then true
      when not coalesce(${GETS_DELIVERIES}, false) then false
      when kind = 'paused' then e.state = 'paused'
      when kind = 'exhausted' then ${deadUpTo(endpointOf('a'), 1)} > 0
      else e.state = 'active' and e.failures = 0 and e.open_until is null end
    order by a.created_at desc limit 1) a
  where m.user_id = ? and m.role = any(?::text[])
  order by a.created_at desc, a.id limit ${LISTED}`;

/** The alerts that the actor has not seen, in the open projects they own, newest first. */
export function listAlerts(services: Services, actor: MemberActor): Promise<AlertRow[]> {
  return services.db.read(async (em) => {
    const rows = await em.execute<(Omit<AlertRow, 'endpoint'> & { endpoint_id: string | null })[]>(UNSEEN_ALERTS, [
      actor.userId,
      `{${ALERTED_ROLES.join(',')}}`,
    ]);
    const named: AlertRow[] = [];
    for (const { endpoint_id, ...row } of rows) {
      const endpoint = isAboutWebhook(row)
        ? namedEndpoint(await targetsOf(em, row.project_id), endpoint_id ?? row.project_id)
        : null;
      named.push({ ...row, endpoint });
    }
    return named;
  });
}

/** The webhook alerts of one project, newest first. Errors: `not_found`, `forbidden`. */
export function listProjectAlerts(services: Services, actor: MemberActor, projectId: string): Promise<AlertView[]> {
  return services.db.read(async (em) => {
    await requirePermission(em, { userId: actor.userId, projectId }, 'manage_webhook');
    const alerts = await em.find(
      WebhookAlert,
      { projectId, kind: { $in: [...WEBHOOK_ALERT_KINDS] } },
      { orderBy: { createdAt: 'desc' }, limit: LISTED },
    );
    const targets = await targetsOf(em, projectId);
    return alerts.map((alert) => ({ alert, endpoint: namedEndpoint(targets, endpointIdOf(alert)) }));
  });
}

const isAboutWebhook = ({ kind }: Pick<WireAlert, 'kind'>): boolean =>
  WEBHOOK_ALERT_KINDS.some((about) => about === kind);

/** Null when this endpoint is the only one with a URL: it needs no name. */
function namedEndpoint(targets: Targets, id: string): WireAlert['endpoint'] {
  const target = targets.get(id);
  const set = [...targets.values()].filter(({ url }) => url !== null);
  return target && set.every((one) => one === target) ? null : { id, name: target?.name ?? null };
}
