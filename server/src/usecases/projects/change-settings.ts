// An owner changes settings. Settings are versions: a change that did not see the last one is refused, nothing is overwritten unseen.
import { Refusal } from '@countersign/shared/errors';
import type { ProjectSettings } from '@countersign/shared/api/projects';
import { ProjectSettings as SettingsVersion } from '../../db/entities/project-settings.ts';
import type { Tx } from '../../db/database.ts';
import type { Em } from '../../db/orm.ts';
import { Member } from '../../db/entities/member.ts';
import { Project } from '../../db/entities/project.ts';
import { WebhookEndpoint } from '../../db/entities/webhook-endpoint.ts';
import { refuseArchived, requireChange, requirePermission } from '../access/membership.ts';
import { differing, recordChange } from './record-change.ts';
import type { MemberActor, Services } from '../services.ts';
import { checkThresholds, checkWebhookUrl, settingsColumns, settingsOf } from './settings.ts';

export interface ChangeInput {
  projectId: string;
  /** The version the change was made on. */
  settingsVersion: number;
  changes: Partial<ProjectSettings>;
}

/** Errors: `not_found`, `forbidden`, `stale_settings`, `validation_failed`, `webhook_url_refused`. A change of nothing is no new version. */
export async function changeSettings(services: Services, actor: MemberActor, input: ChangeInput): Promise<void> {
  const { projectId, settingsVersion } = input;
  await checkNewUrl(services, actor, input);
  await services.db.write(async (tx) => {
    await requireChange(tx.em, { userId: actor.userId, projectId }, 'change_settings');
    const project = await tx.em.findOneOrFail(Project, { id: projectId });
    const before = settingsOf(project);
    const after = { ...before, ...input.changes };
    if (project.settingsVersion !== settingsVersion) throw stale();
    checkThresholds(after);
    // Saving the webhook URL again is how an owner says that a paused receiver is back.
    if (typeof input.changes.webhook_url === 'string') await resumeEndpoint(services, { tx, actor }, projectId);
    if (JSON.stringify(before) === JSON.stringify(after)) return;
    const version = settingsVersion + 1;
    const guidelinesVersion = before.guidelines === after.guidelines ? project.guidelinesVersion : version;
    const columns = { ...settingsColumns(after), settingsVersion: version, guidelinesVersion };
    // What arrived while audits were drawn stays alike to its reviewers until it is decided (AU3).
    const off = before.audit_rate > 0 && after.audit_rate === 0 ? { auditsOffVersion: version } : {};
    const touched = await tx.em.nativeUpdate(Project, { id: projectId, settingsVersion }, { ...columns, ...off });
    if (touched !== 1) throw stale();
    const changedAt = services.clock.now();
    await tx.em.insert(SettingsVersion, { projectId, version, settings: after, changedBy: actor.userId, changedAt });
    if (guidelinesVersion === version) await sawGuidelines(tx.em, { actor, projectId, version });
    const change = { action: 'settings.changed' as const, subject: `v${version}`, ...differing(before, after) };
    await recordChange(services, { tx, actor }, { projectId, changed: ['settings'], ...change });
  });
}

/**
 * Names are looked up before the transaction, and for owners alone. The version holds the two together: whoever changes the URL
 * in between raises it, and the change is stale.
 */
async function checkNewUrl(services: Services, actor: MemberActor, input: ChangeInput): Promise<void> {
  const { projectId, settingsVersion } = input;
  const url = input.changes.webhook_url ?? null;
  if (url === null) return;
  const project = await services.db.read(async (em) => {
    await requirePermission(em, { userId: actor.userId, projectId }, 'change_settings');
    await refuseArchived(em, projectId);
    return em.findOneOrFail(Project, { id: projectId });
  });
  if (project.settingsVersion !== settingsVersion) throw stale();
  if (url !== project.webhookUrl) await checkWebhookUrl(services, url);
}

const stale = () =>
  new Refusal('stale_settings', 'Someone changed the settings meanwhile. Read them again and make your change on top.');

/** Who writes the guidelines need not be told what changed in them. */
async function sawGuidelines(
  em: Em,
  { actor, projectId, version }: { actor: MemberActor; projectId: string; version: number },
): Promise<void> {
  await em.nativeUpdate(Member, { projectId, userId: actor.userId }, { guidelinesSeen: version });
}

/** What waited because of the pause is due at once. One that is not paused is no change. */
async function resumeEndpoint(
  services: Services,
  who: { tx: Tx; actor: MemberActor },
  projectId: string,
): Promise<void> {
  const { em } = who.tx;
  const resumed = await em.nativeUpdate(WebhookEndpoint, { projectId, state: 'paused' }, { state: 'active' });
  // Whoever saves the URL believes in it: the failures of before are forgotten (WH5).
  await em.nativeUpdate(WebhookEndpoint, { projectId }, { failures: 0, openings: 0, openUntil: null });
  await em.execute(
    `update delivery set status = 'pending', next_attempt_at = now() where project_id = ? and status = 'paused'`,
    [projectId],
  );
  if (resumed === 1) await recordChange(services, who, { projectId, changed: ['webhook'], action: 'webhook.resumed' });
}
