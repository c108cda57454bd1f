// The guidelines of a project: text, versions, and changes that a member has not seen or marks as seen (GL1).
import type { Em } from '../../db/orm.ts';
import { notFound, roleIn } from '../access/membership.ts';
import type { MemberActor, Services } from '../services.ts';
import { bytesOf, fitting } from '../cursor.ts';

export interface GuidelinesVersionRow {
  version: number;
  text: string;
  changed_at: string | Date;
  changed_by: string | null;
  name: string | null;
  address: string | null;
}

export interface GuidelinesRow extends GuidelinesVersionRow {
  seen_version: number;
  /** Null when it reads the same as `text`. */
  seen_text: string | null;
}

export interface GuidelinesNewsRow extends GuidelinesRow {
  project_id: string;
  project_name: string;
  seen_text: string;
}

/** The guidelines of a member's projects: `m` the member, `p` the project, `v` the version of the text. */
const SEEN_BY_MEMBER = `
  select p.id as project_id, p.name as project_name, p.guidelines_version as version, p.guidelines as text,
    v.changed_at, v.changed_by, u.name, u.address, m.guidelines_seen as seen_version,
    nullif(s.settings ->> 'guidelines', p.guidelines) as seen_text
  from member m
  join project p on p.id = m.project_id
  join project_settings v on v.project_id = p.id and v.version = p.guidelines_version
  left join project_settings s on s.project_id = p.id and s.version = m.guidelines_seen
  left join app_user u on u.id = v.changed_by
  where m.user_id = ? and p.deleted_at is null`;

/** The guidelines of one project; any member may read them. Errors: `not_found`. */
export function readGuidelines(services: Services, actor: MemberActor, projectId: string): Promise<GuidelinesRow> {
  return services.db.read(async (em) => {
    await roleIn(em, actor.userId, projectId);
    const rows = await em.execute<GuidelinesRow[]>(`${SEEN_BY_MEMBER} and p.id = ?`, [actor.userId, projectId]);
    if (rows[0] === undefined) throw notFound();
    return rows[0];
  });
}

/** The changes that the actor has not seen, in all their open projects; the oldest change first. */
export function listGuidelinesNews(services: Services, actor: MemberActor): Promise<GuidelinesNewsRow[]> {
  const unseen = `and p.archived_at is null and m.guidelines_seen < p.guidelines_version
    and s.settings ->> 'guidelines' <> p.guidelines order by v.changed_at, p.id`;
  return services.db.read((em) => em.execute<GuidelinesNewsRow[]>(`${SEEN_BY_MEMBER} ${unseen}`, [actor.userId]));
}

interface VersionsInput {
  projectId: string;
  /** The last version of the previous page. */
  after: number | undefined;
  limit: number;
}

/** The settings versions that changed the guidelines, newest first; any member may read them. Errors: `not_found`. */
export function listGuidelinesVersions(
  services: Services,
  actor: MemberActor,
  input: VersionsInput,
): Promise<{ rows: GuidelinesVersionRow[]; nextCursor: string | null }> {
  return services.db.read(async (em) => {
    await roleIn(em, actor.userId, input.projectId);
    const rows = await versionsBefore(em, input);
    const weighed = rows.map(({ text }) => ({ bytes: bytesOf(text) }));
    const page = rows.slice(0, fitting(weighed, input.limit));
    return { rows: page, nextCursor: rows.length > page.length ? String(page.at(-1)?.version) : null };
  });
}

/** Reads one extra row. The empty guidelines of a new project are not a version. */
function versionsBefore(em: Em, { projectId, after, limit }: VersionsInput): Promise<GuidelinesVersionRow[]> {
  return em.execute<GuidelinesVersionRow[]>(
    `select v.version, v.settings ->> 'guidelines' as text, v.changed_at, v.changed_by, u.name, u.address
     from project_settings v
     left join project_settings b on b.project_id = v.project_id and b.version = v.version - 1
     left join app_user u on u.id = v.changed_by
     where v.project_id = ? and v.version < ?
       and v.settings ->> 'guidelines' <> coalesce(b.settings ->> 'guidelines', '')
     order by v.version desc limit ?`,
    [projectId, after ?? 2_147_483_647, limit + 1],
  );
}

interface SeenInput {
  projectId: string;
  /** The settings version whose guidelines were seen. */
  version: number;
}

/** Only raises the seen version, and at most to the present one. Errors: `not_found`. */
export async function seeGuidelines(
  services: Services,
  actor: MemberActor,
  { projectId, version }: SeenInput,
): Promise<void> {
  await services.db.write(async ({ em }) => {
    await roleIn(em, actor.userId, projectId);
    await em.execute(
      `update member m set guidelines_seen = least(?, p.guidelines_version) from project p
       where p.id = m.project_id and m.project_id = ? and m.user_id = ?
         and m.guidelines_seen < least(?, p.guidelines_version)`,
      [version, projectId, actor.userId, version],
    );
  });
}
