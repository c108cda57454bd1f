// Changes settings by a new version, and refuses a change that is based on an older one.
import { targetKey } from '@countersign/shared/formats/target-key';
import { Refusal } from '@countersign/shared/errors';
import type { Notification } from '@countersign/shared/schemas/parts/notifications';
import { SETTINGS, type ProjectSettings, type Setting } from '@countersign/shared/settings';
import { ENDED_REMINDER } from '../../db/ended-reminder.ts';
import { ProjectSettings as SettingsVersion } from '../../db/entities/project-settings.ts';
import type { Tx } from '../../db/database.ts';
import type { Em } from '../../db/orm.ts';
import { Member } from '../../db/entities/member.ts';
import { Project } from '../../db/entities/project.ts';
import { resumeEndpoint } from '../../db/resume-endpoint.ts';
import { refuseArchived, requireChange, requirePermission } from '../access/membership.ts';
import { memberRef } from '../../domain/access/actor.ts';
import { recordChange } from '../../db/record-change.ts';
import { differing } from './differing.ts';
import type { MemberActor, Services } from '../services.ts';
import { checkTargets, recordNotifications } from './notification-targets.ts';
import { refuseNonMembers, storeSkills } from './skills.ts';
import {
  checkThresholds,
  checkWebhookUrl,
  permissionsFor,
  schemaOf,
  settingsColumns,
  settingsOf,
  storeSchema,
} from './settings.ts';

export interface ChangeInput {
  projectId: string;
  /** The version that the change is based on. */
  settingsVersion: number;
  changes: Partial<ProjectSettings>;
  /** Replaces all (NO); absent: unchanged. */
  notifications?: Notification[];
  /** Further changes in the same transaction, once the permissions and the version are checked. */
  also?: (tx: Tx) => Promise<void>;
}

/**
 * Errors: `not_found`, `forbidden`, `stale_settings`, `validation_failed`, `schema_invalid`,
 * `webhook_url_refused`. An empty change creates no version.
 */
export async function changeSettings(services: Services, actor: MemberActor, input: ChangeInput): Promise<void> {
  const { projectId, settingsVersion } = input;
  await checkNewUrl(services, actor, input);
  await checkNewTargets(services, actor, input);
  await services.db.write(async (tx) => {
    for (const permission of permissionsOf(input))
      await requireChange(tx.em, { userId: actor.userId, projectId }, permission);
    const project = await tx.em.findOneOrFail(Project, { id: projectId });
    const before = settingsOf(project);
    const after = { ...before, ...input.changes };
    if (project.settingsVersion !== settingsVersion) throw stale();
    checkThresholds(after);
    const schema = schemaOf(after);
    await refuseNonMembers(tx.em, projectId, { before: before.skills, after: after.skills });
    // By saving the webhook URL again, an owner resumes a paused endpoint.
    if (typeof input.changes.webhook_url === 'string') await resumeWebhook(services, { tx, actor }, projectId);
    await input.also?.(tx);
    await changeNotifications(services, { tx, actor }, { project, notifications: input.notifications });
    if (JSON.stringify(before) === JSON.stringify(after)) return;
    const version = settingsVersion + 1;
    const guidelinesVersion = before.guidelines === after.guidelines ? project.guidelinesVersion : version;
    const changedAt = services.clock.now();
    const stored = await storeSchema(tx.em, projectId, { schema, now: changedAt });
    const routes = await storeSkills(tx.em, projectId, after.skills);
    const columns = { ...settingsColumns(after), ...stored, ...routes, settingsVersion: version, guidelinesVersion };
    // Items that arrived while audits were drawn stay indistinguishable for reviewers until they are decided (AU3).
    const off = before.audit_rate > 0 && after.audit_rate === 0 ? { auditsOffVersion: version } : {};
    const touched = await tx.em.nativeUpdate(Project, { id: projectId, settingsVersion }, { ...columns, ...off });
    if (touched !== 1) throw stale();
    await tx.em.insert(SettingsVersion, { projectId, version, settings: after, changedBy: actor.userId, changedAt });
    if (guidelinesVersion === version) await sawGuidelines(tx.em, { actor, projectId, version });
    const change = { action: 'settings.changed' as const, subject: `v${version}`, ...differing(before, after) };
    await recordChange(services, { tx, by: memberRef(actor) }, { projectId, changed: ['settings'], ...change });
  });
}

/**
 * Host names are looked up before the transaction, and for owners only. The version connects the two: a change of the URL in
 * between raises it, and makes this change stale.
 */
async function checkNewUrl(services: Services, actor: MemberActor, input: ChangeInput): Promise<void> {
  const { projectId, settingsVersion } = input;
  const url = input.changes.webhook_url ?? null;
  if (url === null) return;
  const project = await services.db.read(async (em) => {
    await requirePermission(em, { userId: actor.userId, projectId }, SETTINGS.webhook_url.changedBy);
    await refuseArchived(em, projectId);
    return em.findOneOrFail(Project, { id: projectId });
  });
  if (project.settingsVersion !== settingsVersion) throw stale();
  if (url !== project.webhookUrl) await checkWebhookUrl(services, url);
}

const permissionsOf = ({ changes, notifications }: ChangeInput): Setting['changedBy'][] => {
  const alone = notifications !== undefined && Object.keys(changes).length === 0;
  return [
    ...(alone ? [] : permissionsFor(changes)),
    ...(notifications === undefined ? [] : ['manage_webhook' as const]),
  ];
};

/** Targets that are not known yet are looked up before the transaction as well, and for owners only. */
async function checkNewTargets(services: Services, actor: MemberActor, input: ChangeInput): Promise<void> {
  const { projectId, notifications = [] } = input;
  if (notifications.length === 0) return;
  const { notifications: known } = await services.db.read(async (em) => {
    await requirePermission(em, { userId: actor.userId, projectId }, 'manage_webhook');
    await refuseArchived(em, projectId);
    return em.findOneOrFail(Project, { id: projectId });
  });
  await checkTargets(services, notifications, known);
}

/** Without a version of the settings, which every member may read: the URLs are for owners only. */
async function changeNotifications(
  services: Services,
  who: { tx: Tx; actor: MemberActor },
  { project, notifications }: { project: Project; notifications: Notification[] | undefined },
): Promise<void> {
  if (notifications === undefined || JSON.stringify(notifications) === JSON.stringify(project.notifications)) return;
  const projectId = project.id;
  await who.tx.em.nativeUpdate(Project, { id: projectId }, { notifications });
  await endRemoved(who.tx.em, projectId, { before: project.notifications, after: notifications });
  await recordNotifications(services, who, projectId);
}

/** A removed target gets nothing more, not even what waits for it (NO5). */
async function endRemoved(
  em: Em,
  projectId: string,
  { before, after }: { before: readonly Notification[]; after: readonly Notification[] },
): Promise<void> {
  const kept = new Set(after.map(targetKey));
  const removed = before.filter((one) => !kept.has(targetKey(one)));
  for (const { kind, url } of removed)
    await em.execute(
      `update notification_message set ${ENDED_REMINDER}
       where project_id = ? and kind = ? and url = ? and status in ('pending', 'sending')`,
      [projectId, kind, url],
    );
}

const stale = () =>
  new Refusal('stale_settings', 'Someone else changed the settings. Reload them and apply your change again.');

/** The author of the guidelines is not notified of the change. */
async function sawGuidelines(
  em: Em,
  { actor, projectId, version }: { actor: MemberActor; projectId: string; version: number },
): Promise<void> {
  await em.nativeUpdate(Member, { projectId, userId: actor.userId }, { guidelinesSeen: version });
}

/** An endpoint that is not paused is not logged. */
async function resumeWebhook(
  services: Services,
  who: { tx: Tx; actor: MemberActor },
  projectId: string,
): Promise<void> {
  if (await resumeEndpoint(who.tx, projectId))
    await recordChange(
      services,
      { tx: who.tx, by: memberRef(who.actor) },
      { projectId, changed: ['webhook'], action: 'webhook.resumed' },
    );
}
