// Checks the targets of notifications, and records their change (NO).
import type { Notification } from '@countersign/shared/schemas/parts/notifications';
import type { Tx } from '../../db/database.ts';
import type { MemberActor, Services } from '../services.ts';
import { memberRef } from '../../domain/access/actor.ts';
import { recordChange } from '../../db/record-change.ts';
import { checkWebhookUrl } from './settings.ts';

/** Looks up the hosts of targets that are not `known` yet. Errors: `webhook_url_refused` with the place of the target. */
export async function checkTargets(
  services: Services,
  notifications: readonly Notification[],
  known: readonly Notification[] = [],
): Promise<void> {
  for (const [index, { url }] of notifications.entries())
    if (!known.some((one) => one.url === url)) await checkWebhookUrl(services, url, `notifications/${index}/url`);
}

/** The change log gets no targets, because only owners may see their URLs. */
export const recordNotifications = (
  services: Services,
  who: { tx: Tx; actor: MemberActor },
  projectId: string,
): Promise<unknown> =>
  recordChange(
    services,
    { tx: who.tx, by: memberRef(who.actor) },
    { projectId, changed: ['webhook'], action: 'webhook.notifications_changed' },
  );
