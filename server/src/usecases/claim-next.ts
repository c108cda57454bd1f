// The server picks the next item: escalated first for those who may, then by due time (LC3), then oldest; never what is held.
import type { Role } from '@countersign/shared/words';
import { may } from '../domain/permissions.ts';
import type { Em } from '../db/orm.ts';
import { Member } from '../db/entities/member.ts';
import { Project } from '../db/entities/project.ts';
import { confirm } from './claim.ts';
import { grantClaim, type Grant } from './claim-row.ts';
import { lockHolders } from './claim-store.ts';
import { holdRole, nothingHere, refuseArchived } from './membership.ts';
import type { MemberActor, Services } from './services.ts';

/** How many of the first waiting items are looked at in one round, and how many rounds before giving up. */
const CANDIDATES = 100;
const ROUNDS = 5;

interface Scope {
  projectId: string;
  role: Role;
}

/**
 * Claims the next waiting item of one project or of all the actor's projects; null when none is free. Archived projects are
 * passed over (AR1). Exact under contention: two people pressing at once get two items (SKIP LOCKED), or one gets none.
 * Errors: `not_found`, and `forbidden` where the one project is archived.
 */
export async function claimNext(
  services: Services,
  actor: MemberActor,
  { projectId }: { projectId?: string | undefined },
): Promise<Grant | null> {
  const scopes = await services.db.read((em) => scopesOf(em, actor.userId, projectId));
  if (projectId !== undefined) {
    if (scopes.length === 0) throw nothingHere();
    await services.db.read((em) => refuseArchived(em, projectId));
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    const free = await freeCandidates(services, actor, scopes);
    if (free.length === 0) return null;
    const grant = await take(services, actor, { free, scopes });
    if (grant !== null) return grant;
  }
  return null;
}

async function scopesOf(em: Em, userId: string, projectId: string | undefined): Promise<Scope[]> {
  const members = await em.find(Member, { userId, ...(projectId === undefined ? {} : { projectId }) });
  if (projectId === undefined) return openScopes(em, members);
  return members.map((member) => ({ projectId: member.projectId, role: member.role }));
}

/** What waits in an archived project is not even looked at. */
async function openScopes(em: Em, members: Member[]): Promise<Scope[]> {
  const ids = members.map((member) => member.projectId);
  const open = await em.find(Project, { id: { $in: ids }, archivedAt: null }, { fields: ['id'] });
  const known = new Set(open.map(({ id }) => id));
  return members.filter((member) => known.has(member.projectId));
}

async function freeCandidates(services: Services, actor: MemberActor, scopes: Scope[]): Promise<string[]> {
  const ids = await services.db.read((em) => waiting(em, scopes));
  const held = await lockHolders(services, ids);
  return ids.filter((id) => (held.get(id)?.userId ?? actor.userId) === actor.userId);
}

/** Whoever archives a project waits for the roles that are held: asked after those, it is still so at the end. */
const IN_OPEN_PROJECT = `not exists (select 1 from project p where p.id = item.project_id and p.archived_at is not null)`;

async function waiting(em: Em, scopes: Scope[]): Promise<string[]> {
  const all = scopes.map((scope) => scope.projectId);
  const escalated = scopes.filter((scope) => may(scope.role, 'decide_escalated')).map((scope) => scope.projectId);
  const rows = await em.execute<{ id: string }[]>(
    `select id from item
     where ((status = 'queued' and project_id = any(?::uuid[])) or (status = 'escalated' and project_id = any(?::uuid[])))
       and (claim_expires_at is null or claim_expires_at <= now()) and ${IN_OPEN_PROJECT}
     order by status = 'escalated' desc, due_at, created_at, id limit ?`,
    [uuidArray(all), uuidArray(escalated), CANDIDATES],
  );
  return rows.map((row) => row.id);
}

async function take(
  services: Services,
  actor: MemberActor,
  { free, scopes }: { free: string[]; scopes: Scope[] },
): Promise<Grant | null> {
  const granted = await services.db.write(async (tx) => {
    // Roles before items, the order in which a role is taken away: the other way round the two could wait for each other.
    for (const { projectId } of scopes) await holdRole(tx.em, actor.userId, projectId);
    const rows = await tx.em.execute<{ id: string; project_id: string }[]>(
      `select id, project_id from item
       where id = any(?::uuid[]) and status in ('queued', 'escalated') and (claim_expires_at is null or claim_expires_at <= now())
         and ${IN_OPEN_PROJECT}
       order by status = 'escalated' desc, due_at, created_at, id limit 1 for update skip locked`,
      [uuidArray(free)],
    );
    const row = rows[0];
    if (row === undefined) return null;
    const project = await tx.em.findOneOrFail(Project, { id: row.project_id });
    const grant = await grantClaim(tx, actor, {
      itemId: row.id,
      projectId: row.project_id,
      leaseSeconds: project.claimLeaseSeconds,
    });
    return grant && { ...grant, leaseSeconds: project.claimLeaseSeconds };
  });
  if (granted === null) return null;
  // The database has granted it; the lock only has to follow.
  return confirm(services, actor, granted);
}

/** A PostgreSQL array literal of UUIDs, safe because UUIDs hold no special characters. */
function uuidArray(ids: readonly string[]): string {
  return `{${ids.join(',')}}`;
}
