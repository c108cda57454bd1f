// Stores who gets which items first (SK2): the entries of a project's settings, as claims and submissions need them.
import { Refusal } from '@countersign/shared/errors';
import type { Skill } from '@countersign/shared/skills';
import { Member } from '../../db/entities/member.ts';
import { Skill as SkillRow } from '../../db/entities/skill.ts';
import { User } from '../../db/entities/user.ts';
import type { Em } from '../../db/orm.ts';
import { displayName } from '../../domain/access/actor.ts';
import { routesOf, type SkillRoute } from '../../domain/skills/reservation.ts';

/** Replaces the entries of a project. Returns the column of the project. */
export async function storeSkills(
  em: Em,
  projectId: string,
  skills: readonly Skill[],
): Promise<{ skillRoutes: SkillRoute[] | null }> {
  const routes = routesOf(skills);
  await em.nativeDelete(SkillRow, { projectId });
  const rows = (routes ?? []).map(({ skill }, at) => ({ projectId, skill, people: skills[at]?.people ?? [] }));
  if (rows.length > 0) await em.insertMany(SkillRow, rows);
  return { skillRoutes: routes };
}

/**
 * SK2: refuses people who are not members. Those whom the entries named before may stay: they may have left meanwhile. Errors:
 * `validation_failed`.
 */
export async function refuseNonMembers(
  em: Em,
  projectId: string,
  { before, after }: { before: readonly Skill[]; after: readonly Skill[] },
): Promise<void> {
  const known = new Set(before.flatMap(({ people }) => people));
  const added = [...new Set(after.flatMap(({ people }) => people))].filter((id) => !known.has(id));
  if (added.length === 0) return;
  const members = await em.find(Member, { projectId, userId: { $in: added } });
  for (const { userId } of members) known.add(userId);
  const errors = after.flatMap(({ people }, entry) =>
    people.flatMap((id, place) =>
      known.has(id)
        ? []
        : [
            {
              pointer: `#/skills/${entry}/people/${place}`,
              code: 'SK2',
              detail: 'This person is not a member of the project.',
            },
          ],
    ),
  );
  if (errors.length === 0) return;
  throw new Refusal('validation_failed', 'Name only members of the project. Add the person to it first.', { errors });
}

/** The present names of the people whom entries in stored settings name: the log has no names that would have to be forgotten (KE6). */
export function peopleNamedIn(
  em: Em,
  stored: readonly (Readonly<Record<string, unknown>> | null)[],
): Promise<Map<string, string>> {
  const entries = stored.flatMap((values) => (values?.skills ?? []) as Skill[]);
  return namesOf(
    em,
    entries.flatMap(({ people }) => people),
  );
}

async function namesOf(em: Em, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  return namesById(await em.find(User, { id: { $in: [...new Set(ids)] } }));
}

const namesById = (users: readonly User[]): Map<string, string> =>
  new Map(users.map(({ id, name, address }) => [id, displayName({ name: name ?? null, address })]));

/** A person of an entry who counts (SK2): a member who is not blocked. */
export interface SkillPerson {
  userId: string;
  name: string;
}

/** The people of the entries of each of these projects who count (SK2), by name; usually there are no entries. */
export async function skillPeopleOf(
  em: Em,
  projects: readonly { id: string; skills: readonly Skill[] }[],
): Promise<Map<string, SkillPerson[]>> {
  const named = projects.filter(({ skills }) => skills.length > 0);
  if (named.length === 0) return new Map();
  const members = await em.find(Member, {
    $or: named.map(({ id, skills }) => ({ projectId: id, userId: { $in: skills.flatMap(({ people }) => people) } })),
  });
  const users = await em.find(User, { id: { $in: members.map(({ userId }) => userId) }, blockedAt: null });
  const names = namesById(users);
  const people = members
    .flatMap(({ projectId, userId }) => {
      const name = names.get(userId);
      return name === undefined ? [] : [{ projectId, userId, name }];
    })
    .sort((a, b) => a.name.localeCompare(b.name) || (a.userId < b.userId ? -1 : 1));
  return Map.groupBy(people, ({ projectId }) => projectId);
}
