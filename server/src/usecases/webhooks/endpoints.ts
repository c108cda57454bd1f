// Adds, changes and removes the endpoints of a project (WH12). The one of the settings is changed through them.
import type { DeliveredEvent } from '@countersign/shared/enums';
import { DELIVERED_EVENTS } from '@countersign/shared/enums';
import { Refusal } from '@countersign/shared/errors';
import { endpointName } from '@countersign/shared/formats/endpoint-name';
import { MAX_ENDPOINTS } from '@countersign/shared/limits';
import { SETTINGS } from '@countersign/shared/settings';
import { encrypt } from '../../crypto/key-ring.ts';
import { makeWebhookSecret } from '../../crypto/webhook-secret.ts';
import { CANCELLED } from '../../db/cancelled-delivery.ts';
import { DUE } from '../../db/connection/channels.ts';
import type { Tx } from '../../db/database.ts';
import { Project } from '../../db/entities/project.ts';
import { WebhookEndpoint } from '../../db/entities/webhook-endpoint.ts';
import { resumeEndpoint } from '../../db/resume-endpoint.ts';
import { settledPosition } from '../../db/settled-position.ts';
import { secretContext } from '../../domain/webhooks/signing.ts';
import { notFound, refuseArchived, refuseBeyond, requireChange, requirePermission } from '../access/membership.ts';
import { changeSettings } from '../projects/change-settings.ts';
import { memberRef } from '../../domain/access/actor.ts';
import { recordChange } from '../../db/record-change.ts';
import { differing } from '../projects/differing.ts';
import { checkWebhookUrl } from '../projects/settings.ts';
import { type EndpointRef, lockEndpoint } from './lock-endpoint.ts';
import { subjectOf } from './rotate-webhook-secret.ts';
import type { MemberActor, Services } from '../services.ts';

export interface EndpointFields {
  url: string;
  description: string;
  events: DeliveredEvent[];
  isEnabled: boolean;
}

interface EndpointChange extends Partial<EndpointFields> {
  /** The version of the settings that the change is based on. Only the endpoint of the settings needs it. */
  settingsVersion: number | undefined;
}

/** How often to look for transactions that are writing to the event log: about a second in all. */
const TRIES = 50;

/**
 * Adds an endpoint; `secret` is shown once and stored encrypted. Errors: `not_found`, `forbidden`, `webhook_url_refused`,
 * `validation_failed` when the project has as many endpoints as allowed (RL8).
 */
export async function createEndpoint(
  services: Services,
  actor: MemberActor,
  { projectId, ...fields }: EndpointFields & { projectId: string },
): Promise<{ endpointId: string; secret: string }> {
  await checkUrl(services, actor, { projectId, url: fields.url });
  const endpointId = services.ids.uuid();
  const secret = makeWebhookSecret();
  const events = inOrder(fields.events);
  // An event that commits after this is behind the position, or there is none: rather one event too many than one too few (I5).
  const afterPosition = await settledPosition(services.db, TRIES);
  await services.db.write(async (tx) => {
    await requireChange(tx.em, { userId: actor.userId, projectId }, 'manage_webhook');
    refuseBeyond(await tx.em.count(WebhookEndpoint, { projectId, removedAt: null }), {
      ...{ most: MAX_ENDPOINTS, detail: 'Remove an endpoint that nothing uses, then add this one.' },
    });
    await tx.em.insert(WebhookEndpoint, {
      afterPosition,
      ...{ ...fields, projectId, endpointId, events, state: 'active', revealed: true },
      current: encrypt(services.keyRing, secret, secretContext(endpointId)),
      ...{ next: null, promoteAt: null, previous: null, previousUntil: null, createdAt: services.clock.now() },
    });
    const after = logged({ ...fields, events });
    const change = { action: 'webhook.endpoint_made' as const, subject: endpointName(fields), subjectId: endpointId };
    await recordChange(services, { tx, by: memberRef(actor) }, { projectId, changed: ['webhook'], ...change, after });
  });
  return { endpointId, secret };
}

/**
 * Changes an endpoint. The one of the settings is changed through them and needs their version. Saving a URL resumes it (WH3).
 * Errors: `not_found`, `forbidden`, `webhook_url_refused`, `validation_failed`, `stale_settings`.
 */
export async function changeEndpoint(
  services: Services,
  actor: MemberActor,
  { projectId, endpointId, settingsVersion, ...fields }: EndpointRef & EndpointChange,
): Promise<void> {
  const changes = { ...fields, ...(fields.events && { events: inOrder(fields.events) }) };
  if (endpointId === projectId) return changeOfSettings(services, actor, { projectId, settingsVersion, changes });
  await checkUrl(services, actor, { projectId, url: changes.url, endpointId });
  await services.db.write(async (tx) => {
    await requireChange(tx.em, { userId: actor.userId, projectId }, 'manage_webhook');
    await applyChanges(services, { tx, actor }, { projectId, endpointId, changes });
  });
}

interface SettingsEndpointChange extends Pick<EndpointChange, 'settingsVersion'> {
  projectId: string;
  changes: Partial<EndpointFields>;
}

/** Its URL and events are settings, with a version of their own. All of it is changed in one transaction. */
async function changeOfSettings(
  services: Services,
  actor: MemberActor,
  { projectId, settingsVersion, changes }: SettingsEndpointChange,
): Promise<void> {
  const { url, events, ...own } = changes;
  await services.db.read(async (em) => {
    await requirePermission(em, { userId: actor.userId, projectId }, 'manage_webhook');
    await refuseArchived(em, projectId);
  });
  if (settingsVersion === undefined) throw missing('settings_version', VERSION_NEEDED);
  if (events && !SETTINGS.webhook_events.always.every((event) => events.includes(event)))
    throw missing('events', SETTINGS.webhook_events.whyAlways);
  const settings = { ...(url !== undefined && { webhook_url: url }), ...(events && { webhook_events: events }) };
  const also = (tx: Tx) => applyChanges(services, { tx, actor }, { projectId, endpointId: projectId, changes: own });
  await changeSettings(services, actor, { projectId, settingsVersion, changes: settings, also });
}

const VERSION_NEEDED =
  'The URL of this endpoint is a setting of the project: send the settings_version that the change is based on.';

const missing = (member: string, detail: string): Refusal =>
  new Refusal('validation_failed', detail, { errors: [{ pointer: `#/${member}`, code: 'required', detail }] });

/** The caller has checked the permission, and holds the lock of the project. */
async function applyChanges(
  services: Services,
  { tx, actor }: { tx: Tx; actor: MemberActor },
  { projectId, endpointId, changes }: EndpointRef & { changes: Partial<EndpointFields> },
): Promise<void> {
  const endpoint = await lockEndpoint(tx, { projectId, endpointId });
  // An owner who saves the URL again says that the receiver is back.
  const isResumed = changes.url !== undefined && (await resumeEndpoint(tx, endpointId));
  const before = logged(endpoint);
  const after = { ...before, ...logged(changes) };
  const about = { projectId, changed: ['webhook' as const], ...subjectOf(endpoint) };
  if (isResumed) await recordChange(services, { tx, by: memberRef(actor) }, { ...about, action: 'webhook.resumed' });
  await tx.em.execute('select pg_notify(?, ?)', [DUE, '']);
  if (JSON.stringify(before) === JSON.stringify(after)) return;
  await tx.em.nativeUpdate(WebhookEndpoint, { id: endpointId }, changes);
  const change = { action: 'webhook.endpoint_changed' as const, ...differing(before, after) };
  await recordChange(services, { tx, by: memberRef(actor) }, { ...about, ...change });
}

/**
 * Removes an endpoint: nothing more is sent to it, and a worker cancels what waits for it. That of the settings loses its URL.
 * Errors: `not_found`, `forbidden`, `stale_settings`.
 */
export async function removeEndpoint(
  services: Services,
  actor: MemberActor,
  { projectId, endpointId }: EndpointRef,
): Promise<void> {
  if (endpointId === projectId) {
    const { settingsVersion } = await services.db.read(async (em) => {
      await requirePermission(em, { userId: actor.userId, projectId }, 'manage_webhook');
      return em.findOneOrFail(Project, { id: projectId });
    });
    return changeSettings(services, actor, { projectId, settingsVersion, changes: { webhook_url: null } });
  }
  await services.db.write(async (tx) => {
    await requireChange(tx.em, { userId: actor.userId, projectId }, 'manage_webhook');
    const endpoint = await tx.em.findOne(WebhookEndpoint, { id: endpointId, projectId, removedAt: null });
    if (endpoint === null) throw notFound();
    // In the order of the workers: the replay, its deliveries, the endpoint. The locked project keeps out other changes of it.
    for (const end of END) await tx.em.execute(end, [endpointId]);
    const before = logged(endpoint);
    const gone = { removedAt: services.clock.now(), isEnabled: false };
    await tx.em.nativeUpdate(WebhookEndpoint, { id: endpointId }, gone);
    const change = { action: 'webhook.endpoint_removed' as const, before };
    const about = { projectId, changed: ['webhook' as const], ...subjectOf(endpoint) };
    await recordChange(services, { tx, by: memberRef(actor) }, { ...about, ...change });
  });
}

/** What may be under way. Those that wait may be many: `worker/cancel-deliveries.ts` cancels them in batches. */
const END = [
  `update replay set state = 'cancelled', ended_at = now() where endpoint_id = ? and state = 'running'`,
  `update delivery set ${CANCELLED}
   where endpoint_id = ? and status = 'sending'`,
];

/** Names are looked up before the transaction, and for owners only. An unchanged URL was looked up before. */
async function checkUrl(
  services: Services,
  actor: MemberActor,
  { projectId, url, endpointId }: { projectId: string; url: string | undefined; endpointId?: string },
): Promise<void> {
  const known = await services.db.read(async (em) => {
    await requirePermission(em, { userId: actor.userId, projectId }, 'manage_webhook');
    await refuseArchived(em, projectId);
    return endpointId === undefined ? null : em.findOne(WebhookEndpoint, { id: endpointId, projectId });
  });
  if (url !== undefined && url !== known?.url) await checkWebhookUrl(services, url, 'url');
}

const inOrder = (events: readonly DeliveredEvent[]): DeliveredEvent[] =>
  DELIVERED_EVENTS.filter((event) => events.includes(event));

/** The fields as the change log names them; absent ones are left out. */
function logged(fields: { [Field in keyof EndpointFields]?: EndpointFields[Field] | null | undefined }): Record<
  string,
  unknown
> {
  const { url, description, events, isEnabled } = fields;
  const values = { url, description, events, is_enabled: isEnabled };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== null));
}
