// The webhook of a project: how it stands, its secrets, and a test event.
import * as projects from '@countersign/shared/api/projects';
import * as api from '@countersign/shared/api/webhook';
import { readWebhook } from '../../usecases/queries/read-webhook.ts';
import { promoteWebhookSecret, rotateWebhookSecret } from '../../usecases/rotate-webhook-secret.ts';
import type { Services } from '../../usecases/services.ts';
import { testWebhook } from '../../usecases/test-webhook.ts';
import type { Binder } from '../route.ts';

export function bindWebhook(bind: Binder, services: Services): void {
  bind.member(api.readWebhook, async ({ actor, params }) => {
    const { url, state, revealed, rolling, promoteAt, previousUntil } = await readWebhook(services, actor, params.id);
    const [promote_at, previous_until] = [iso(promoteAt), iso(previousUntil)];
    return { url, state, secret: { revealed, rolling, promote_at, previous_until } };
  });
  bind.member(api.testWebhook, async ({ actor, params, body }) => {
    const { ok, outcome, webhookId, url } = await testWebhook(services, actor, {
      projectId: params.id,
      url: body?.url,
    });
    const { httpStatus: http_status, error, totalMs: duration_ms, responseText: response_text } = outcome;
    return { ok, http_status, error, duration_ms, response_text, webhook_id: webhookId, url };
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
