// Watches the error budgets of projects (AU5): owners are told when audits say that more automatic answers may be wrong, and the
// automatic threshold is raised where an owner has said so beforehand.
import type { BudgetAlertKind } from '@countersign/shared/words';
import { auditStrata, auditVerdicts, type AuditSpan } from '../db/audit-rows.ts';
import type { Tx } from '../db/database.ts';
import { Project } from '../db/entities/project.ts';
import { ProjectSettings } from '../db/entities/project-settings.ts';
import { logChange, tellChange } from '../db/log-change.ts';
import type { Em } from '../db/orm.ts';
import { SYSTEM } from '../domain/actor.ts';
import { budgetState, raisedThreshold, WINDOW_MS } from '../domain/audit-error.ts';
import type { Services } from '../usecases/services.ts';
import type { Next } from './loop.ts';

/** How often it looks, in milliseconds. */
export const BUDGET_MS = 30_000;

/** One look at every project with a budget. Several workers may run it at once: whoever holds the project's row acts. */
export async function watchBudgetsOnce(services: Services): Promise<Next> {
  const ids = await services.db.read((em) => em.execute<{ id: string }[]>(WATCHED));
  for (const { id } of ids) {
    if (await services.db.read((em) => turn(services, em, id))) {
      await services.db.write((tx) => act(services, tx, id));
    }
  }
  return {};
}

const WATCHED = `select id from project
  where (error_budget is not null or over_budget_since is not null) and archived_at is null and deleted_at is null`;

type Turn = { project: Project; span: AuditSpan; to: 'over' | 'within' } | null;

/** Whether what is known of a project differs from what was told. */
async function turn(services: Services, em: Em, projectId: string): Promise<Turn> {
  const project = await em.findOne(Project, { id: projectId, archivedAt: null, deletedAt: null }, { refresh: true });
  if (project === null) return null;
  const now = services.clock.now();
  const span = { projectId, from: new Date(now.getTime() - WINDOW_MS), to: now };
  const to = (await isOver(em, project, span)) ? 'over' : 'within';
  const told = project.overBudgetSince ? 'over' : 'within';
  return to === told ? null : { project, span, to };
}

async function isOver(em: Em, { errorBudget }: Project, span: AuditSpan): Promise<boolean> {
  if (errorBudget === null || errorBudget === undefined) return false;
  const { strata } = await auditStrata(em, span);
  return budgetState(strata, errorBudget) === 'over';
}

/** Asked again with the row held: somebody else may have acted, or changed the settings. */
async function act(services: Services, tx: Tx, projectId: string): Promise<void> {
  await tx.em.execute('select 1 from project where id = ? for update', [projectId]);
  const found = await turn(services, tx.em, projectId);
  if (found === null) return;
  const { project, span, to } = found;
  await tx.em.nativeUpdate(Project, { id: projectId }, { overBudgetSince: to === 'over' ? span.to : null });
  if (to === 'within') return tellChange(tx, { projectId, changed: ['audits'], by: SYSTEM });
  const kind = project.overBudget === 'raise' && project.autoThreshold < 1 ? 'threshold_raised' : 'over_budget';
  await tx.em.execute(TELL, [kind, projectId]);
  services.log.warn({ project: projectId, alert: kind }, LINES[kind]);
  if (kind === 'over_budget') return tellChange(tx, { projectId, changed: ['audits'], by: SYSTEM });
  await raise(services, tx, { project, span });
}

/** Two of one project are never of one millisecond, as those of its webhook are not (WH6). */
const TELL = `
  insert into webhook_alert (id, project_id, kind, created_at)
  select gen_random_uuid(), p.id, ?, greatest(clock_timestamp(),
    (select max(created_at) + interval '1 ms' from webhook_alert where project_id = p.id))
  from project p where p.id = ?`;

const LINES = {
  over_budget: 'automatic answers may be wrong more often than their budget allows',
  threshold_raised:
    'automatic answers may be wrong more often than their budget allows: the automatic threshold was raised',
} as const satisfies Record<BudgetAlertKind, string>;

/** A new version of the settings, made by the system in the owner's name: they said so when they chose `raise`. */
async function raise(
  services: Services,
  tx: Tx,
  { project, span }: { project: Project; span: AuditSpan },
): Promise<void> {
  const line = project.autoThreshold;
  const budget = project.errorBudget ?? 1;
  const raised = raisedThreshold(await auditVerdicts(tx.em, span), { line, budget });
  const version = project.settingsVersion + 1;
  const last = await tx.em.findOneOrFail(ProjectSettings, { projectId: project.id, version: project.settingsVersion });
  await tx.em.nativeUpdate(Project, { id: project.id }, { autoThreshold: raised, settingsVersion: version });
  await tx.em.insert(ProjectSettings, {
    projectId: project.id,
    version,
    settings: { ...last.settings, auto_threshold: raised },
    changedBy: null,
    changedAt: span.to,
  });
  await logChange(
    services,
    { tx, by: SYSTEM },
    {
      projectId: project.id,
      changed: ['settings', 'audits'],
      action: 'settings.changed',
      subject: `v${version}`,
      before: { auto_threshold: line },
      after: { auto_threshold: raised },
    },
  );
}
