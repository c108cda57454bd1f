// Reads the progress of onboarding: whether a project has its first key, item, decision and delivery.
import type { Onboarding } from '@countersign/shared/schemas/onboarding';
import { displayName } from '../../domain/access/actor.ts';
import { may } from '../../domain/access/permissions.ts';
import type { Measure } from '../../domain/analytics/rollup.ts';
import type { Em } from '../../db/orm.ts';
import { ApiKey } from '../../db/entities/api-key.ts';
import { Delivery } from '../../db/entities/delivery.ts';
import { Item } from '../../db/entities/item.ts';
import { Project } from '../../db/entities/project.ts';
import { roleIn } from '../access/membership.ts';
import type { MemberActor, Services } from '../services.ts';

/** Errors: `not_found`. */
export function readOnboarding(services: Services, actor: MemberActor, projectId: string): Promise<Onboarding> {
  return services.db.read(async (em) => {
    const role = await roleIn(em, actor.userId, projectId);
    const project = await em.findOneOrFail(Project, { id: projectId });
    const first = {
      item: await firstItem(em, projectId),
      decision: await firstDecision(em, projectId),
      webhook: await firstWebhook(em, projectId),
    };
    return {
      created_at: project.createdAt.toISOString(),
      key: may(role, 'manage_keys') ? await firstKey(em, projectId) : null,
      ...first,
      gone: await goneOf(em, projectId, first),
    };
  });
}

const OLDEST = { createdAt: 'asc', id: 'asc' } as const;

async function firstKey(em: Em, projectId: string): Promise<Onboarding['key']> {
  const [key] = await em.find(ApiKey, { projectId }, { orderBy: OLDEST, limit: 1 });
  return key === undefined ? null : { at: key.createdAt.toISOString(), name: key.name, last4: key.last4 };
}

async function firstItem(em: Em, projectId: string): Promise<Onboarding['item']> {
  const fields = ['preview', 'status', 'publicStatus', 'createdAt'] as const;
  const [item] = await em.find(Item, { projectId }, { orderBy: OLDEST, limit: 1, fields });
  if (item === undefined) return null;
  const { createdAt, preview, status, publicStatus } = item;
  // The public status, as before a provisional decision: what an undo would restore reveals nothing of audits (AU3).
  return { at: createdAt.toISOString(), preview, status: publicStatus ?? status };
}

type DecisionRow = Pick<NonNullable<Onboarding['decision']>, 'action'> & {
  decided_at: string | Date;
  name: string | null;
  address: string;
};

async function firstDecision(em: Em, projectId: string): Promise<Onboarding['decision']> {
  const [row] = await em.execute<DecisionRow[]>(
    `select d.action, d.decided_at, u.name, u.address from decision d join app_user u on u.id = d.reviewer_id
     where d.project_id = ? and d.reviewer_id is not null and d.revision = 1 order by d.decided_at limit 1`,
    [projectId],
  );
  if (row === undefined) return null;
  return { at: new Date(row.decided_at).toISOString(), action: row.action, name: displayName(row) };
}

/**
 * Which steps were completed but have expired by retention. Figures lag behind
 * events and undos, so without deleted items they prove nothing.
 */
async function goneOf(
  em: Em,
  projectId: string,
  { item, decision, webhook }: Pick<Onboarding, 'item' | 'decision' | 'webhook'>,
): Promise<Onboarding['gone']> {
  const taken = await em.execute(
    `select 1 from keeping where project_id = ? and kind = 'ledger' and gone_until is not null`,
    [projectId],
  );
  const counted = async (measure: Measure, key: string | null = null) => {
    if (taken.length === 0) return false;
    const rows = await em.execute(
      `select 1 from rollup where project_id = ? and measure = ? and grain = 'day' and n > 0 and key = coalesce(?, key) limit 1`,
      [projectId, measure, key],
    );
    return rows.length > 0;
  };
  return {
    item: item === null && (await counted('arrived')),
    decision: decision === null && (await counted('reviewer')),
    webhook: webhook === null && (await counted('delivery', 'succeeded')),
  };
}

async function firstWebhook(em: Em, projectId: string): Promise<Onboarding['webhook']> {
  const fields = ['httpStatus', 'createdAt', 'completedAt'] as const;
  const where = { projectId, status: 'succeeded' as const };
  const [delivery] = await em.find(Delivery, where, { orderBy: OLDEST, limit: 1, fields });
  if (delivery === undefined) return null;
  const at = delivery.completedAt ?? delivery.createdAt;
  return { at: at.toISOString(), http_status: delivery.httpStatus ?? null };
}
