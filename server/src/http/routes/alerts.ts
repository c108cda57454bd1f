// Webhook alerts of projects, and marking them as seen.
import * as api from '@countersign/shared/api/alerts';
import { presentAlert, presentProjectAlert } from '../../presenters/alert.ts';
import { listAlerts, listProjectAlerts } from '../../usecases/webhooks/list-alerts.ts';
import { seeAlerts } from '../../usecases/webhooks/see-alerts.ts';
import type { Services } from '../../usecases/services.ts';
import type { Binder } from '../route.ts';

export function bindAlerts(bind: Binder, services: Services): void {
  bind.member(api.listAlerts, async ({ actor }) => {
    const alerts = await listAlerts(services, actor);
    return { data: alerts.map(presentProjectAlert), next_cursor: null };
  });
  bind.member(api.listProjectAlerts, async ({ actor, params }) => {
    const alerts = await listProjectAlerts(services, actor, params.id);
    return { data: alerts.map(presentAlert), next_cursor: null };
  });
  bind.member(api.seeAlerts, async ({ actor, params, body }) => {
    await seeAlerts(services, actor, { projectId: params.id, until: new Date(body.until) });
    return undefined;
  });
}
