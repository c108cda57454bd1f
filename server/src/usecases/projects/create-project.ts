// Creates a project, whose owner is the actor.
import { Refusal } from '@countersign/shared/errors';
import type { Notification } from '@countersign/shared/schemas/parts/notifications';
import { DEFAULT_SETTINGS, type ProjectSettings } from '@countersign/shared/settings';
import { makeWebhookSecret } from '../../crypto/webhook-secret.ts';
import { encrypt } from '../../crypto/key-ring.ts';
import { secretContext } from '../../domain/webhooks/signing.ts';
import { routesOf } from '../../domain/skills/reservation.ts';
import type { Tx } from '../../db/database.ts';
import { Member } from '../../db/entities/member.ts';
import { ProjectSettings as SettingsVersion } from '../../db/entities/project-settings.ts';
import { Project } from '../../db/entities/project.ts';
import { WebhookEndpoint } from '../../db/entities/webhook-endpoint.ts';
import { memberRef } from '../../domain/access/actor.ts';
import { recordChange } from '../../db/record-change.ts';
import type { MemberActor, Services } from '../services.ts';
import type { AnswerSchema } from '../items/answer-schemas.ts';
import { checkTargets, recordNotifications } from './notification-targets.ts';
import { refuseNonMembers, storeSkills } from './skills.ts';
import { checkThresholds, checkWebhookUrl, schemaOf, settingsColumns, storeSchema } from './settings.ts';

export type NewProject = Partial<ProjectSettings> & { name: string; notifications?: Notification[] };

/** PM7: whether this wallet may create projects. */
export const mayCreateProjects = ({ projectCreators: who }: Services, { address }: { address: string }): boolean =>
  who === 'anyone' || who.has(address);

/**
 * Creates the project with its first settings version and a webhook secret that was never shown. Errors: `forbidden` (PM7),
 * `validation_failed`, `schema_invalid`, `webhook_url_refused`.
 */
export async function createProject(services: Services, actor: MemberActor, input: NewProject): Promise<string> {
  if (!mayCreateProjects(services, actor))
    throw new Refusal(
      'forbidden',
      'Your wallet may not create projects on this service. Ask its operator for permission.',
    );
  const { notifications = [], ...settings } = input;
  const id = services.ids.uuid();
  return insertProject(services, actor, { id, settings: { ...DEFAULT_SETTINGS, ...settings }, notifications });
}

interface ProjectToInsert {
  id: string;
  settings: ProjectSettings;
  notifications: Notification[];
}

/** The same with all settings and an id of the caller, who may always create it. */
export async function insertProject(
  services: Services,
  actor: MemberActor,
  { id, settings, notifications }: ProjectToInsert,
): Promise<string> {
  checkThresholds(settings);
  const schema = schemaOf(settings);
  if (settings.webhook_url !== null) await checkWebhookUrl(services, settings.webhook_url);
  await checkTargets(services, notifications);
  await services.db.write(async (tx) => {
    await insertRows(services, tx, { id, settings, notifications, schema, ownerId: actor.userId });
    // The log has all settings, because the defaults may be different when it is read.
    const change = { action: 'project.created' as const, after: settings };
    await recordChange(
      services,
      { tx, by: memberRef(actor) },
      { projectId: id, changed: ['created', 'members'], ...change },
    );
    if (notifications.length > 0) await recordNotifications(services, { tx, actor }, id);
  });
  return id;
}

interface NewRows extends ProjectToInsert {
  schema: AnswerSchema | null;
  ownerId: string;
}

async function insertRows(
  services: Services,
  tx: Tx,
  { id, settings, notifications, schema, ownerId }: NewRows,
): Promise<void> {
  const createdAt = services.clock.now();
  await tx.em.insert(Project, {
    id,
    ...settingsColumns(settings),
    answerSchemaDigest: schema?.digest ?? null,
    skillRoutes: routesOf(settings.skills),
    notifications,
    settingsVersion: 1,
    eventSeq: 0,
    createdAt,
    archivedAt: null,
  });
  await storeSchema(tx.em, id, { schema, now: createdAt });
  await tx.em.insert(SettingsVersion, {
    projectId: id,
    version: 1,
    settings,
    changedBy: ownerId,
    changedAt: createdAt,
  });
  await tx.em.insert(Member, { projectId: id, userId: ownerId, role: 'owner', createdAt });
  await refuseNonMembers(tx.em, id, { before: [], after: settings.skills });
  await storeSkills(tx.em, id, settings.skills);
  await tx.em.insert(WebhookEndpoint, {
    projectId: id,
    state: 'active',
    current: encrypt(services.keyRing, makeWebhookSecret(), secretContext(id)),
    next: null,
    promoteAt: null,
    previous: null,
    previousUntil: null,
    revealed: false,
  });
}
