// Watches the error budgets of projects: notifies owners, and raises the threshold if they chose that (AU5).
import type { BudgetAlertKind } from '@countersign/shared/enums';
import { readDrawn } from '../db/audits/audit-rows.ts';
import { guaranteeSpan } from '../db/audits/audit-span.ts';
import { assessBudget } from '../db/audits/assess-budget.ts';
import type { Tx } from '../db/database.ts';
import { databaseTime } from '../db/database-time.ts';
import { Project } from '../db/entities/project.ts';
import { ProjectSettings } from '../db/entities/project-settings.ts';
import { appendProjectChanged, recordChange } from '../db/record-change.ts';
import type { Em } from '../db/orm.ts';
import { lockProject } from '../db/lock-project.ts';
import { SYSTEM } from '../domain/access/actor.ts';
import { raisedThreshold } from '../domain/audits/raised-threshold.ts';
import type { Services } from '../usecases/services.ts';
import type { Next } from './loop.ts';

/** Polling interval, in milliseconds. */
export const BUDGET_MS = 30_000;

/**
 * One check of every project with a budget. Several workers may run it concurrently: the one that locks the project's row
 * acts.
 */
export async function watchBudgetsOnce(services: Services): Promise<Next> {
  const ids = await services.db.read((em) => em.execute<{ id: string }[]>(WATCHED));
  for (const { id } of ids) await watch(services, id);
  return {};
}

const WATCHED = `select id from project
  where (error_budget is not null or over_budget_since is not null) and archived_at is null and deleted_at is null`;

/** A project whose check fails does not block the others; the next round checks it again. */
async function watch(services: Services, projectId: string): Promise<void> {
  try {
    const action = await services.db.read((em) => look(em, projectId));
    if (action !== null) await services.db.write((tx) => act(services, tx, action));
  } catch (error) {
    services.log.error({ project: projectId, err: error }, 'the error budget could not be checked');
  }
}

interface BudgetAction {
  /** The project as it was read. */
  project: Project;
  at: Date;
  over: boolean;
  /** The threshold to raise to; null if it stays. */
  raised: number | null;
}

const isAlerted = ({ overBudgetSince }: Project): boolean => Boolean(overBudgetSince);

/** What there is to do; null if everything is done. Computed before any lock is held. */
async function look(em: Em, projectId: string): Promise<BudgetAction | null> {
  const project = await em.findOne(Project, { id: projectId, archivedAt: null, deletedAt: null }, { refresh: true });
  if (project === null) return null;
  const at = await databaseTime(em);
  const budget = project.errorBudget ?? null;
  const span = await guaranteeSpan(em, projectId, at);
  const crossedBy = budget === null ? null : (await assessBudget(em, span, budget)).crossedBy;
  const over = crossedBy !== null;
  // Also after an earlier notification: an owner may have chosen it since.
  const raises = budget !== null && crossedBy !== null && project.overBudget === 'raise' && project.autoThreshold < 1;
  const raised = raises
    ? raisedThreshold(await readDrawn(em, crossedBy), { threshold: project.autoThreshold, budget })
    : null;
  return over === isAlerted(project) && raised === null ? null : { project, at, over, raised };
}

/** No effect if the project was changed since it was read: the next round checks again. */
async function act(services: Services, tx: Tx, { project: seen, at, over, raised }: BudgetAction): Promise<void> {
  const projectId = seen.id;
  await lockProject(tx.em, projectId);
  const now = await tx.em.findOne(Project, { id: projectId, archivedAt: null, deletedAt: null }, { refresh: true });
  if (now?.settingsVersion !== seen.settingsVersion || isAlerted(now) !== isAlerted(seen)) return;
  await tx.em.nativeUpdate(Project, { id: projectId }, { overBudgetSince: over ? (now.overBudgetSince ?? at) : null });
  if (over) await alertOwners(services, tx, { projectId, kind: raised === null ? 'over_budget' : 'threshold_raised' });
  if (raised === null) return appendProjectChanged(tx, { projectId, changed: ['audits'], by: SYSTEM });
  await raise(services, tx, { project: now, raised, at });
}

async function alertOwners(
  services: Services,
  { em }: Tx,
  { projectId, kind }: { projectId: string; kind: BudgetAlertKind },
): Promise<void> {
  await em.execute(INSERT_ALERT, [kind, projectId]);
  services.log.warn({ project: projectId, alert: kind }, LOG_MESSAGES[kind]);
}

/** Two alerts of one project never share a millisecond, like those of its webhook (WH6). */
const INSERT_ALERT = `
  insert into webhook_alert (id, project_id, kind, created_at)
  select gen_random_uuid(), p.id, ?, greatest(clock_timestamp(),
    (select max(created_at) + interval '1 ms' from webhook_alert where project_id = p.id))
  from project p where p.id = ?`;

const LOG_MESSAGES = {
  over_budget: 'automatic decisions may be wrong more often than the error budget allows',
  threshold_raised:
    'automatic decisions may be wrong more often than the error budget allows: the auto-approve threshold was raised',
} as const satisfies Record<BudgetAlertKind, string>;

/** A new settings version, created by the system on behalf of the owner, who chose `raise`. */
async function raise(
  services: Services,
  tx: Tx,
  { project, raised, at }: { project: Project; raised: number; at: Date },
): Promise<void> {
  const threshold = project.autoThreshold;
  const version = project.settingsVersion + 1;
  const last = await tx.em.findOneOrFail(ProjectSettings, { projectId: project.id, version: project.settingsVersion });
  await tx.em.nativeUpdate(Project, { id: project.id }, { autoThreshold: raised, settingsVersion: version });
  await tx.em.insert(ProjectSettings, {
    projectId: project.id,
    version,
    settings: { ...last.settings, auto_threshold: raised },
    changedBy: null,
    changedAt: at,
  });
  await recordChange(
    services,
    { tx, by: SYSTEM },
    {
      projectId: project.id,
      changed: ['settings', 'audits'],
      action: 'settings.changed',
      subject: `v${version}`,
      before: { auto_threshold: threshold },
      after: { auto_threshold: raised },
    },
  );
}
