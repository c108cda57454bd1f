// Presents deliveries in the wire format: a line of the log, and a delivery in full.
import type {
  Attempt as WireAttempt,
  DeliveryDetail,
  Replay as WireReplay,
  Timings as WireTimings,
  Delivery as WireDelivery,
  DeliverySummary as WireSummary,
} from '@countersign/shared/schemas/deliveries';
import type { Role } from '@countersign/shared/enums';
import type { ProjectAlert, WebhookAlert as WireAlert } from '@countersign/shared/schemas/alerts';
import { may } from '../domain/access/permissions.ts';
import { isReplayable, SCHEDULE_SECONDS, type Timings } from '../domain/webhooks/retry.ts';
import { maskedHeaders } from '../domain/webhooks/signing.ts';
import type { Attempt } from '../db/entities/attempt.ts';
import type { Delivery } from '../db/entities/delivery.ts';
import type { Replay } from '../db/entities/replay.ts';
import type { WebhookAlert } from '../db/entities/webhook-alert.ts';

export interface DeliveryViewer {
  role: Role;
  /** The endpoints of the project, by ID. */
  targets: ReadonlyMap<string, { name: string | null; gets: boolean; reachable: boolean }>;
}

/** The columns of a line of the log. */
type DeliveryRow = Pick<
  Delivery,
  | 'id'
  | 'projectId'
  | 'endpointId'
  | 'itemId'
  | 'webhookId'
  | 'status'
  | 'attempt'
  | 'scheduleFrom'
  | 'nextAttemptAt'
  | 'httpStatus'
  | 'error'
  | 'createdAt'
  | 'completedAt'
>;

/** `durationMs` is of the last finished attempt, null before that; `redacted`: its body was deleted (KE2). */
export interface DeliveryExtras {
  durationMs: number | null;
  redacted: boolean;
  preview: string;
  reports: WireDelivery['reports'];
}

type RecentFigures = Omit<WireSummary['recent'], 'p95_ms'> & { p95Ms: number | null };

/** As a member with this role sees it. */
export function presentDelivery(
  delivery: DeliveryRow,
  { role, targets }: DeliveryViewer,
  { durationMs, redacted, preview, reports }: DeliveryExtras,
): WireDelivery {
  const endpointId = delivery.endpointId ?? delivery.projectId;
  const target = targets.get(endpointId);
  const maySend = target?.reachable === true && may(role, 'replay_deliveries') && !redacted;
  return {
    id: delivery.id,
    endpoint: { id: endpointId, name: target?.name ?? null },
    item_id: delivery.itemId,
    item_preview: preview,
    webhook_id: delivery.webhookId,
    reports,
    status: delivery.status,
    attempt: delivery.attempt,
    run: { attempt: delivery.attempt - delivery.scheduleFrom, of: SCHEDULE_SECONDS.length },
    next_attempt_at: delivery.status === 'pending' ? (delivery.nextAttemptAt?.toISOString() ?? null) : null,
    http_status: delivery.httpStatus ?? null,
    error: delivery.error ?? null,
    duration_ms: durationMs,
    created_at: delivery.createdAt.toISOString(),
    completed_at: delivery.completedAt?.toISOString() ?? null,
    abilities: {
      replay: maySend && isReplayable(delivery.status),
      send_now: maySend && delivery.status === 'pending',
    },
  };
}

export function presentDeliveryDetail(
  view: DeliveryViewer & {
    delivery: Delivery;
    url: string | null;
    extras: DeliveryExtras;
    traceparent: string | null;
    attempts: Attempt[];
  },
): DeliveryDetail {
  const { delivery, url, extras, traceparent, attempts } = view;
  return {
    ...presentDelivery(delivery, view, extras),
    project_id: delivery.projectId,
    url,
    body: delivery.body,
    attempts: attempts.map((attempt) => presentAttempt(attempt, { webhookId: delivery.webhookId, traceparent })),
  };
}

function presentAttempt(attempt: Attempt, of: { webhookId: string; traceparent: string | null }): WireAttempt {
  const { n, startedAt: at, responseHeaders, signatures = null } = attempt;
  return {
    n,
    url: attempt.url,
    started_at: at.toISOString(),
    duration_ms: attempt.totalMs,
    timings: presentTimings(attempt),
    http_status: attempt.httpStatus ?? null,
    error: attempt.error ?? null,
    request_headers: maskedHeaders({ ...of, attempt: n, at, signatures }),
    response_headers: responseHeaders ? (JSON.parse(responseHeaders) as Record<string, string>) : null,
    response_text: attempt.responseText ?? null,
  };
}

/** The phases of the attempt; attempts from before they were measured have none. */
export function presentTimings(measured: { [Part in keyof Timings]?: number | null | undefined }): WireTimings {
  const { dnsMs = null, connectMs = null, tlsMs = null, firstByteMs = null } = measured;
  return { dns_ms: dnsMs, connect_ms: connectMs, tls_ms: tlsMs, first_byte_ms: firstByteMs };
}

/** The figures of the log, as a member with this role sees them. */
export function presentDeliverySummary(
  view: DeliveryViewer & Pick<WireSummary, 'counts' | 'retryable'> & { recent: RecentFigures },
): WireSummary {
  const { counts, retryable, role, targets } = view;
  const { p95Ms, ...recent } = view.recent;
  const retry_all = [...targets.values()].some(({ reachable }) => reachable) && may(role, 'replay_deliveries');
  // Without the one of the settings where that was never set: nothing was sent to it.
  const named = [...targets].flatMap(([id, { name }]) => (name === null ? [] : [{ id, name }]));
  return { counts, retryable, recent: { ...recent, p95_ms: p95Ms }, endpoints: named, abilities: { retry_all } };
}

/** As a member who may replay sees it. */
export function presentReplay(replay: Replay): WireReplay {
  return {
    id: replay.id,
    endpoint_id: replay.endpointId ?? null,
    status: replay.status,
    from: replay.fromAt?.toISOString() ?? null,
    to: replay.toAt.toISOString(),
    state: replay.state,
    total: replay.total,
    replayed: replay.replayed,
    started_by: { user_id: replay.startedBy ?? null, name: replay.startedByName },
    created_at: replay.createdAt.toISOString(),
    ended_at: replay.endedAt?.toISOString() ?? null,
    abilities: { cancel: replay.state === 'running' },
  };
}

export function presentAlert({ alert, endpoint }: Pick<WireAlert, 'endpoint'> & { alert: WebhookAlert }): WireAlert {
  return {
    id: alert.id,
    kind: alert.kind,
    endpoint,
    delivery_id: alert.deliveryId ?? null,
    attempts: alert.attempts ?? null,
    http_status: alert.httpStatus ?? null,
    error: alert.error ?? null,
    created_at: alert.createdAt.toISOString(),
  };
}

type Row = Omit<ProjectAlert, 'created_at' | 'dead'> & { created_at: string | Date; dead: string | number };

/** An unseen alert, from its database row. */
export function presentProjectAlert(row: Row): ProjectAlert {
  return { ...row, created_at: new Date(row.created_at).toISOString(), dead: Number(row.dead) };
}
