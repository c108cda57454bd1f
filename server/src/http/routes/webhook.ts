// The webhook of a project: its state and secrets, test events, the delivery log with replays, and alerts.
import * as alerts from '@countersign/shared/routes/alerts';
import * as deliveries from '@countersign/shared/routes/deliveries';
import * as projects from '@countersign/shared/routes/projects';
import * as api from '@countersign/shared/routes/webhook';
import {
  presentAlert,
  presentDelivery,
  presentDeliveryDetail,
  presentDeliverySummary,
  presentProjectAlert,
  presentReplay,
  presentTimings,
} from '../../presenters/delivery.ts';
import { presentNotificationMessage } from '../../presenters/notification.ts';
import type { WebhookTestResult } from '@countersign/shared/schemas/webhook';
import type { MemberActor, Services } from '../../usecases/services.ts';
import { NO_EXTRAS } from '../../usecases/webhooks/delivery-extras.ts';
import { listAlerts, listProjectAlerts } from '../../usecases/webhooks/list-alerts.ts';
import { listDeliveries } from '../../usecases/webhooks/list-deliveries.ts';
import { listReplays } from '../../usecases/webhooks/list-replays.ts';
import { listNotificationMessages, resendNotificationMessage } from '../../usecases/webhooks/notification-messages.ts';
import { readDelivery } from '../../usecases/webhooks/read-delivery.ts';
import { readWebhook } from '../../usecases/webhooks/read-webhook.ts';
import { cancelReplay, replayDelivery, startReplay } from '../../usecases/webhooks/replay-deliveries.ts';
import { promoteWebhookSecret, rotateWebhookSecret } from '../../usecases/webhooks/rotate-webhook-secret.ts';
import { seeAlerts } from '../../usecases/webhooks/see-alerts.ts';
import { sendDeliveryNow } from '../../usecases/webhooks/send-delivery-now.ts';
import { summarizeDeliveries } from '../../usecases/webhooks/summarize-deliveries.ts';
import { type Tested, testNotification, testWebhook } from '../../usecases/webhooks/test-webhook.ts';
import type { Binder } from '../route.ts';

export function bindWebhook(bind: Binder, services: Services): void {
  bind.member(api.readWebhook, async ({ actor, params }) => {
    const view = await readWebhook(services, actor, params.id);
    const { url, state, failures, restsUntil, revealed, rolling, overlapHours: overlap_hours } = view;
    const [promote_at, previous_until] = [iso(view.promoteAt), iso(view.previousUntil)];
    const health = { failures, circuit_open_until: iso(restsUntil) };
    return { url, state, health, secret: { revealed, rolling, promote_at, previous_until, overlap_hours } };
  });
  bind.member(api.testWebhook, async ({ actor, params, body }) => {
    return presentTest(await testWebhook(services, actor, { projectId: params.id, url: body?.url }));
  });
  bindSecrets(bind, services);
  bindNotifications(bind, services);
}

function bindNotifications(bind: Binder, services: Services): void {
  bind.member(api.listNotificationMessages, async ({ actor, params, query: { after, limit } }) => {
    const { views, nextCursor } = await listNotificationMessages(services, actor, {
      ...{ projectId: params.id, after, limit },
    });
    return { data: views.map(presentNotificationMessage), next_cursor: nextCursor };
  });
  bind.member(api.testNotification, async ({ actor, params, body }) =>
    presentTest(await testNotification(services, actor, { projectId: params.id, ...body })),
  );
  bind.member(api.resendNotificationMessage, async ({ actor, params }) => {
    await resendNotificationMessage(services, actor, params.id);
    return undefined;
  });
}

function presentTest({ ok, outcome, webhookId, url }: Tested): WebhookTestResult {
  const { httpStatus: http_status, error, totalMs: duration_ms, responseText: response_text } = outcome;
  const timings = presentTimings(outcome.timings);
  return { ok, http_status, error, duration_ms, timings, response_text, webhook_id: webhookId, url };
}

function bindSecrets(bind: Binder, services: Services): void {
  bind.member(projects.rotateWebhookSecret, async ({ actor, params, body }) => {
    const { secret, phase, promoteAt } = await rotateWebhookSecret(services, actor, {
      ...{ projectId: params.id, overlapHours: body?.overlap_hours },
    });
    return { webhook_secret: secret, phase, promote_at: iso(promoteAt) };
  });
  bind.member(projects.promoteWebhookSecret, async ({ actor, params }) => {
    await promoteWebhookSecret(services, actor, params.id);
    return undefined;
  });
}

const iso = (at: Date | null) => at?.toISOString() ?? null;

export function bindDeliveries(bind: Binder, services: Services): void {
  bind.member(deliveries.listDeliveries, async ({ actor, params, query }) => {
    const page = await listDeliveries(services, actor, { ...query, projectId: params.id, after: query.after });
    const data = page.rows.map((row) => presentDelivery(row, page, page.extras.get(row.id) ?? NO_EXTRAS));
    return { data, next_cursor: page.nextCursor };
  });
  bind.member(deliveries.summarizeDeliveries, async ({ actor, params }) =>
    presentDeliverySummary(await summarizeDeliveries(services, actor, params.id)),
  );
  const shown = async (actor: MemberActor, id: string) => {
    const view = await readDelivery(services, actor, id);
    return presentDeliveryDetail(view);
  };
  bind.member(deliveries.readDelivery, ({ actor, params }) => shown(actor, params.id));
  bind.member(deliveries.replayDelivery, async ({ actor, params }) => {
    await replayDelivery(services, actor, params.id);
    return shown(actor, params.id);
  });
  bind.member(deliveries.sendDeliveryNow, async ({ actor, params }) => {
    await sendDeliveryNow(services, actor, params.id);
    return shown(actor, params.id);
  });
  bindReplays(bind, services);
}

function bindReplays(bind: Binder, services: Services): void {
  bind.member(deliveries.replayDeliveries, async ({ actor, params, body }) => {
    const time = (text: string | undefined) => (text === undefined ? null : new Date(text));
    const { status = 'dead', endpoint_id: endpointId = null, from, to } = body ?? {};
    const filter = { projectId: params.id, endpointId, status, from: time(from), to: time(to) };
    return presentReplay(await startReplay(services, actor, filter));
  });
  bind.member(deliveries.listReplays, async ({ actor, params }) => {
    const replays = await listReplays(services, actor, params.id);
    return { data: replays.map(presentReplay), next_cursor: null };
  });
  bind.member(deliveries.cancelReplay, async ({ actor, params }) =>
    presentReplay(await cancelReplay(services, actor, params.id)),
  );
}

export function bindAlerts(bind: Binder, services: Services): void {
  bind.member(alerts.listAlerts, async ({ actor }) => {
    const all = await listAlerts(services, actor);
    return { data: all.map(presentProjectAlert), next_cursor: null };
  });
  bind.member(alerts.listProjectAlerts, async ({ actor, params }) => {
    const all = await listProjectAlerts(services, actor, params.id);
    return { data: all.map(presentAlert), next_cursor: null };
  });
  bind.member(alerts.seeAlerts, async ({ actor, params, body }) => {
    await seeAlerts(services, actor, { projectId: params.id, until: new Date(body.until) });
    return undefined;
  });
}
