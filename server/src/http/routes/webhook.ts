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
import { presentEndpoint, presentSigning } from '../../presenters/endpoint.ts';
import { presentNotificationMessage } from '../../presenters/notification.ts';
import type { WebhookTestResult } from '@countersign/shared/schemas/webhook';
import type { MemberActor, Services } from '../../usecases/services.ts';
import { NO_EXTRAS } from '../../usecases/webhooks/delivery-extras.ts';
import { changeEndpoint, createEndpoint, removeEndpoint } from '../../usecases/webhooks/endpoints.ts';
import { listAlerts, listProjectAlerts } from '../../usecases/webhooks/list-alerts.ts';
import { listDeliveries } from '../../usecases/webhooks/list-deliveries.ts';
import { listReplays } from '../../usecases/webhooks/list-replays.ts';
import { listNotificationMessages, resendNotificationMessage } from '../../usecases/webhooks/notification-messages.ts';
import { readDelivery } from '../../usecases/webhooks/read-delivery.ts';
import { listEndpoints, readEndpoint, readWebhook } from '../../usecases/webhooks/read-webhook.ts';
import { cancelReplay, replayDelivery, startReplay } from '../../usecases/webhooks/replay-deliveries.ts';
import {
  promoteWebhookSecret,
  rotateWebhookSecret,
  type Rotation,
} from '../../usecases/webhooks/rotate-webhook-secret.ts';
import { seeAlert } from '../../usecases/webhooks/see-alert.ts';
import { sendDeliveryNow } from '../../usecases/webhooks/send-delivery-now.ts';
import { summarizeDeliveries } from '../../usecases/webhooks/summarize-deliveries.ts';
import { type Tested, testNotification, testWebhook } from '../../usecases/webhooks/test-webhook.ts';
import { definedOf } from '../request/defined-of.ts';
import type { Binder } from '../route.ts';

export function bindWebhook(bind: Binder, services: Services): void {
  bind.member(api.readWebhook, async ({ actor, params }) => {
    const view = await readWebhook(services, actor, params.id);
    return { url: view.url, state: view.state, ...presentSigning(view) };
  });
  bind.member(api.testWebhook, async ({ actor, params, body }) => {
    return presentTest(await testWebhook(services, actor, { projectId: params.id, url: body?.url }));
  });
  bindSecrets(bind, services);
  bindEndpoints(bind, services);
  bindNotifications(bind, services);
}

function bindEndpoints(bind: Binder, services: Services): void {
  const of = ({ id: projectId, endpoint_id: endpointId }: { id: string; endpoint_id: string }) => ({
    ...{ projectId, endpointId },
  });
  bind.member(api.listEndpoints, async ({ actor, params }) => {
    const all = await listEndpoints(services, actor, params.id);
    return { data: all.map(presentEndpoint), next_cursor: null };
  });
  bind.member(api.createEndpoint, async ({ actor, params: { id: projectId }, body }) => {
    const { is_enabled: isEnabled, ...fields } = body;
    const { endpointId, secret } = await createEndpoint(services, actor, { ...fields, isEnabled, projectId });
    const made = await readEndpoint(services, actor, { projectId, endpointId });
    return { ...presentEndpoint(made), webhook_secret: secret };
  });
  bind.member(api.changeEndpoint, async ({ actor, params, body }) => {
    const { is_enabled: isEnabled, settings_version: settingsVersion, ...fields } = body;
    const enabled = isEnabled === undefined ? {} : { isEnabled };
    await changeEndpoint(services, actor, { ...of(params), settingsVersion, ...definedOf(fields), ...enabled });
    return presentEndpoint(await readEndpoint(services, actor, of(params)));
  });
  bind.member(api.removeEndpoint, async ({ actor, params }) => {
    await removeEndpoint(services, actor, of(params));
    return undefined;
  });
  bind.member(api.testEndpoint, async ({ actor, params, body }) =>
    presentTest(await testWebhook(services, actor, { ...of(params), url: body?.url })),
  );
  bind.member(api.rotateEndpointSecret, async ({ actor, params, body }) =>
    presentRotation(await rotateWebhookSecret(services, actor, { ...of(params), overlapHours: body?.overlap_hours })),
  );
  bind.member(api.promoteEndpointSecret, async ({ actor, params }) => {
    await promoteWebhookSecret(services, actor, of(params));
    return undefined;
  });
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
    const overlapHours = body?.overlap_hours;
    return presentRotation(await rotateWebhookSecret(services, actor, { projectId: params.id, overlapHours }));
  });
  bind.member(projects.promoteWebhookSecret, async ({ actor, params }) => {
    await promoteWebhookSecret(services, actor, { projectId: params.id });
    return undefined;
  });
}

const presentRotation = ({ secret, phase, promoteAt }: Rotation) => ({
  ...{ webhook_secret: secret, phase, promote_at: promoteAt?.toISOString() ?? null },
});

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
  bind.member(alerts.seeAlert, async ({ actor, params, body }) => {
    await seeAlert(services, actor, { projectId: params.id, alertId: body.alert_id });
    return undefined;
  });
}
