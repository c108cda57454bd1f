// Lists alerts about webhooks (WH6) and automatic answers (AU5): those an owner has not seen, and those of a project.
import { DEAD_COUNTED } from '@countersign/shared/limits';
import type { ProjectAlert, WebhookAlert as WireAlert } from '@countersign/shared/schemas/alerts';
import { ROLES, WEBHOOK_ALERT_KINDS } from '@countersign/shared/enums';
import { deadUpTo } from '../../db/dead-deliveries.ts';
import { BUDGET_TOPIC, topicOf } from '../../db/alert-topic.ts';
import { GETS_DELIVERIES } from '../../db/endpoint-columns.ts';
import { WebhookAlert } from '../../db/entities/webhook-alert.ts';
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
 * The latest alert of each topic that still applies; it replaces those before it. Members get no alerts from before they
 * joined. Those they have seen are not read: ten endpoints may leave 20,000 in ninety days.
 */
export const UNSEEN_ALERTS = `
  select a.id, a.kind, a.delivery_id, a.attempts, a.http_status, a.error, a.created_at,
    t.id as endpoint_id, p.id as project_id, p.name as project_name,
    case when t.id is null then 0 else ${deadUpTo('t.id', DEAD_COUNTED + 1)} end as dead
  from member m
  join project p on p.id = m.project_id and p.archived_at is null and p.deleted_at is null
  cross join lateral (
    select e.id::text as topic, e.id, e.state = 'paused' as paused, e.failures = 0 and e.open_until is null as works
    from webhook_endpoint e where e.project_id = p.id and ${GETS_DELIVERIES}
    union all select '${BUDGET_TOPIC}', null, null, null) t
  left join alert_seen s on s.project_id = p.id and s.user_id = m.user_id and s.topic = t.topic
  cross join lateral (
    select a.* from webhook_alert a
    where a.project_id = p.id and ${topicOf('a')} = t.topic
      and a.created_at > greatest(m.created_at, m.alerts_seen_at, s.until) and case a.kind
        when 'over_budget' then p.over_budget_since is not null
        when 'threshold_raised' then true
        when 'paused' then t.paused
        when 'exhausted' then ${deadUpTo('t.id', 1)} > 0
        else t.works and not t.paused end
    order by a.created_at desc limit 1) a
  where m.user_id = ? and m.role = any(?::text[])
  order by a.created_at, a.id limit ${LISTED}`;

/** The alerts that the actor has not seen, in the open projects they own, oldest first. */
export function listAlerts(services: Services, actor: MemberActor): Promise<AlertRow[]> {
  return services.db.read(async (em) => {
    const rows = await em.execute<(Omit<AlertRow, 'endpoint'> & { endpoint_id: string | null })[]>(UNSEEN_ALERTS, [
      actor.userId,
      `{${ALERTED_ROLES.join(',')}}`,
    ]);
    const targets = new Map<string, Targets>();
    for (const id of new Set(rows.map(({ project_id }) => project_id))) targets.set(id, await targetsOf(em, id));
    return rows.map(({ endpoint_id: id, ...row }) => {
      const ofProject = targets.get(row.project_id);
      return { ...row, endpoint: id === null || ofProject === undefined ? null : namedEndpoint(ofProject, id) };
    });
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

/** Null when this endpoint is the only one with a URL: it needs no name. */
function namedEndpoint(targets: Targets, id: string): WireAlert['endpoint'] {
  const target = targets.get(id);
  const set = [...targets.values()].filter(({ url }) => url !== null);
  return target && set.every((one) => one === target) ? null : { id, name: target?.name ?? null };
}
