// An owner tests the webhook: one signed event, sent now to the saved URL or to another. It creates no delivery (WT1).
import { Refusal } from '@countersign/shared/errors';
import { jsonText } from '@countersign/shared/json/json';
import type { Notification } from '@countersign/shared/schemas/parts/notifications';
import type { WebhookTest } from '@countersign/shared/schemas/parts/webhook-events';
import { Project } from '../../db/entities/project.ts';
import { WebhookEndpoint } from '../../db/entities/webhook-endpoint.ts';
import { lockProject } from '../../db/lock-project.ts';
import { projectLink, testBody } from '../../domain/notifications/message.ts';
import type { Outcome } from '../../domain/webhooks/retry.ts';
import { secretsOf, type StoredSecrets } from '../../domain/webhooks/signing.ts';
import { notFound, refuseArchived, requirePermission } from '../access/membership.ts';
import { memberRef } from '../../domain/access/actor.ts';
import { type Change, recordChange } from '../../db/record-change.ts';
import type { MemberActor, Services } from '../services.ts';
import { checkWebhookUrl } from '../projects/settings.ts';
import { subjectOf } from './rotate-webhook-secret.ts';

/** What the change log says of the endpoint: nothing for that of the settings. */
type Subject = ReturnType<typeof subjectOf>;

export interface TestInput {
  projectId: string;
  /** Absent: the endpoint of the settings (WH12). */
  endpointId?: string;
  /** A URL that is not saved; the saved one when absent. */
  url: string | undefined;
}

export interface Tested {
  ok: boolean;
  outcome: Outcome;
  webhookId: string;
  url: string;
}

/**
 * Sends the event and returns its outcome; a failing receiver is not an error. The network is used outside any transaction, and
 * for owners only. Errors: `not_found`, `forbidden`, `rate_limited`, `validation_failed` (no URL), `webhook_url_refused`.
 */
export async function testWebhook(services: Services, actor: MemberActor, input: TestInput): Promise<Tested> {
  const { projectId, endpointId = projectId } = input;
  const { saved, secrets, subject } = await endpointFor(services, actor, { projectId, endpointId });
  const url = input.url ?? saved;
  if (url === null) throw noUrl();
  await limitTests(services, projectId);
  await checkWebhookUrl(services, url, 'url');
  // The session is checked again: what is sent cannot be undone, and the name look-up took time.
  await services.db.refuseEnded();
  const at = services.clock.now();
  const event: WebhookTest = { event: 'webhook.test', project_id: projectId, sent_at: at.toISOString() };
  const webhookId = `evt_test_${services.ids.uuid()}`;
  const message = { webhookId, attempt: 1, body: jsonText(event) };
  const outcome = await services.dispatchWebhook({ projectId, endpointId, url, secrets, at, ...message });
  const tested = { ok: outcome.error === null, outcome, webhookId, url };
  await logTest(services, actor, { projectId, tested, unsaved: url !== saved, subject });
  return tested;
}

function endpointFor(
  services: Services,
  actor: MemberActor,
  { projectId, endpointId }: { projectId: string; endpointId: string },
): Promise<{ name: string; saved: string | null; secrets: StoredSecrets<string>; subject: Subject }> {
  return services.db.read(async (em) => {
    await requirePermission(em, { userId: actor.userId, projectId }, 'manage_webhook');
    await refuseArchived(em, projectId);
    const project = await em.findOneOrFail(Project, { id: projectId });
    const endpoint = await em.findOne(WebhookEndpoint, { id: endpointId, projectId, removedAt: null });
    if (endpoint === null) throw notFound();
    const saved = endpoint.url ?? project.webhookUrl ?? null;
    return { name: project.name, saved, secrets: secretsOf(endpoint), subject: subjectOf(endpoint) };
  });
}

/**
 * A test message to a target of notifications, saved or not (NO6). Errors: `not_found`, `forbidden`, `rate_limited`,
 * `webhook_url_refused`.
 */
export async function testNotification(
  services: Services,
  actor: MemberActor,
  { projectId, kind, url }: Pick<Notification, 'kind' | 'url'> & { projectId: string },
): Promise<Tested> {
  const { name, secrets } = await endpointFor(services, actor, { projectId, endpointId: projectId });
  await limitTests(services, projectId);
  await checkWebhookUrl(services, url, 'url');
  await services.db.refuseEnded();
  const at = services.clock.now();
  const link = projectLink(services.baseUrl, projectId);
  const webhookId = `evt_test_${services.ids.uuid()}`;
  const message = { webhookId, attempt: 1, body: testBody(kind, { projectId, name, link, at }) };
  const unsigned = kind !== 'webhook';
  const outcome = await services.dispatchWebhook({
    ...{ projectId, endpointId: projectId, url, secrets, at, unsigned },
    ...message,
  });
  // Without the URL, which is for owners only (NO4).
  await recordTest(services, actor, { projectId, changed: ['webhook'], action: 'webhook.notification_tested' });
  return { ok: outcome.error === null, outcome, webhookId, url };
}

/**
 * Counted per project, so that many owners cannot send more requests to a third
 * party; a refused URL counts, because its name was looked up.
 */
async function limitTests({ limiter }: Services, projectId: string): Promise<void> {
  const { allowed, retryAfterSeconds: retryAfter } = await limiter.take('webhook-test', projectId);
  if (!allowed)
    throw new Refusal('rate_limited', `Rate limited. Send the next test event in ${retryAfter} s.`, { retryAfter });
}

function noUrl(): Refusal {
  const detail = 'Send a URL to test, or save one first.';
  return new Refusal('validation_failed', detail, { errors: [{ pointer: '#/url', code: 'required', detail }] });
}

async function logTest(
  services: Services,
  actor: MemberActor,
  { projectId, tested, unsaved, subject }: { projectId: string; tested: Tested; unsaved: boolean; subject: Subject },
): Promise<void> {
  const { httpStatus: http_status, error } = tested.outcome;
  const after = { url: tested.url, saved: !unsaved, ok: tested.ok, http_status, error };
  await recordTest(services, actor, { projectId, changed: ['webhook'], action: 'webhook.tested', after, ...subject });
}

async function recordTest(services: Services, actor: MemberActor, change: Change): Promise<void> {
  const { projectId } = change;
  await services.db.write(async (tx) => {
    // While the receiver answered, the project may have been deleted, or the role removed.
    await lockProject(tx.em, projectId);
    await requirePermission(tx.em, { userId: actor.userId, projectId }, 'manage_webhook');
    await recordChange(services, { tx, by: memberRef(actor) }, change);
  });
}
