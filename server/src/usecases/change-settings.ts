// An owner changes settings. Settings are versions: a change that did not see the last one is refused, nothing is overwritten unseen.
import { Refusal } from '@countersign/shared/errors';
import type { ProjectSettings } from '@countersign/shared/api/projects';
import { memberRef } from '../domain/actor.ts';
import { ProjectSettings as SettingsVersion } from '../db/entities/project-settings.ts';
import type { Em } from '../db/orm.ts';
import { Project } from '../db/entities/project.ts';
import { WebhookEndpoint } from '../db/entities/webhook-endpoint.ts';
import { requireVerb } from './membership.ts';
import type { MemberActor, Services } from './services.ts';
import { checkSettings, settingsColumns, settingsOf } from './settings.ts';

export interface ChangeInput {
  projectId: string;
  /** The version the change was made on. */
  settingsVersion: number;
  changes: Partial<ProjectSettings>;
}

/** Errors: `not_found`, `forbidden`, `stale_settings`, `validation_failed`, `webhook_url_refused`. A change of nothing is no new version. */
export async function changeSettings(services: Services, actor: MemberActor, input: ChangeInput): Promise<void> {
  const { projectId, settingsVersion } = input;
  await services.db.write(async (tx) => {
    await requireVerb(tx.em, { userId: actor.userId, projectId }, 'change_settings');
    const project = await tx.em.findOneOrFail(Project, { id: projectId });
    const before = settingsOf(project);
    const after = { ...before, ...input.changes };
    if (project.settingsVersion !== settingsVersion) throw stale();
    checkSettings(services, after, before);
    // Saving the webhook URL again is how an owner says that a paused receiver is back.
    if (input.changes.webhook_url !== undefined) await resumeEndpoint(tx.em, projectId);
    if (JSON.stringify(before) === JSON.stringify(after)) return;
    const version = settingsVersion + 1;
    const columns = { ...settingsColumns(after), settingsVersion: version };
    const touched = await tx.em.nativeUpdate(Project, { id: projectId, settingsVersion }, columns);
    if (touched !== 1) throw stale();
    const changedAt = services.clock.now();
    await tx.em.insert(SettingsVersion, { projectId, version, settings: after, changedBy: actor.userId, changedAt });
    const fact = { project_id: projectId, actor: memberRef(actor), settings_version: version };
    tx.record({ type: 'project.changed', ...fact, changed: ['settings'] });
  });
}

const stale = () =>
  new Refusal('stale_settings', 'Someone changed the settings meanwhile. Read them again and make your change on top.');

async function resumeEndpoint(em: Em, projectId: string): Promise<void> {
  await em.nativeUpdate(WebhookEndpoint, { projectId }, { state: 'active' });
  await em.execute(
    `update delivery set status = 'pending', next_attempt_at = now() where project_id = ? and status = 'paused'`,
    [projectId],
  );
}
