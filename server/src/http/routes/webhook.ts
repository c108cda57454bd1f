// The webhook of a project: its state, its secrets, and test events.
import * as projects from '@countersign/shared/api/projects';
import * as api from '@countersign/shared/api/webhook';
import { presentTimings } from '../../presenters/delivery.ts';
import { readWebhook } from '../../usecases/webhooks/read-webhook.ts';
import { promoteWebhookSecret, rotateWebhookSecret } from '../../usecases/webhooks/rotate-webhook-secret.ts';
import type { Services } from '../../usecases/services.ts';
import { testWebhook } from '../../usecases/webhooks/test-webhook.ts';
import type { Binder } from '../route.ts';

export function bindWebhook(bind: Binder, services: Services): void {
  bind.member(api.readWebhook, async ({ actor, params }) => {
    const view = await readWebhook(services, actor, params.id);
    const { url, state, failures, restsUntil, revealed, rolling } = view;
    const [promote_at, previous_until] = [iso(view.promoteAt), iso(view.previousUntil)];
    const health = { failures, circuit_open_until: iso(restsUntil) };
    return { url, state, health, secret: { revealed, rolling, promote_at, previous_until } };
  });
  bind.member(api.testWebhook, async ({ actor, params, body }) => {
    const { ok, outcome, webhookId, url } = await testWebhook(services, actor, {
      projectId: params.id,
      url: body?.url,
    });
    const { httpStatus: http_status, error, totalMs: duration_ms, responseText: response_text } = outcome;
    const timings = presentTimings(outcome.timings);
    return { ok, http_status, error, duration_ms, timings, response_text, webhook_id: webhookId, url };
  });
  bindSecrets(bind, services);
}

function bindSecrets(bind: Binder, services: Services): void {
  bind.member(projects.rotateWebhookSecret, async ({ actor, params }) => {
    const { secret, phase, promoteAt } = await rotateWebhookSecret(services, actor, params.id);
    return { webhook_secret: secret, phase, promote_at: iso(promoteAt) };
  });
  bind.member(projects.promoteWebhookSecret, async ({ actor, params }) => {
    await promoteWebhookSecret(services, actor, params.id);
    return undefined;
  });
}

const iso = (at: Date | null) => at?.toISOString() ?? null;
