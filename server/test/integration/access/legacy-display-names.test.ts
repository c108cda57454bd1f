// Tests the migration of names that owners gave in older versions: they are deleted, and names that people chose stay.
import { describe, expect, it } from 'vitest';
import { changeMember } from '../../../src/usecases/access/change-member.ts';
import type { MemberActor } from '../../../src/usecases/services.ts';
import { sweepOnce } from '../../../src/worker/sweep.ts';
import { aPerson, createProjectFixture, grantRole } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();

describe('PM4: a name that another person gave', () => {
  it('is deleted by the worker, once; a name that a person chose, or whose origin is unknown, stays', async () => {
    const { services, sql } = testEnv;
    const fixture = await createProjectFixture(services);
    const [added, named, own, taken] = [
      await aPerson(services),
      await aPerson(services),
      await aPerson(services),
      await aPerson(services),
    ];
    for (const who of [added, named, own, taken]) await grantRole(services, fixture, { who });
    const put = (who: MemberActor, name: string) =>
      sql('update app_user set name = ? where id = ?', [name, who.userId]);
    /** An entry as the previous version wrote it. */
    const line = (who: MemberActor, by: MemberActor, { action, subject, after }: Record<string, string | object>) =>
      sql(
        `insert into project_change (id, project_id, action, subject, subject_id, after, changed_by, changed_by_name, changed_at)
         values (gen_random_uuid(), ?, ?, ?, ?, ?::jsonb, ?, 'Somebody', now())`,
        [fixture.projectId, action, subject, who.userId, JSON.stringify(after), by.userId],
      );
    await put(added, 'Mallory');
    await line(added, fixture.owner, { action: 'member.joined', subject: 'Mallory', after: { role: 'reviewer' } });
    await put(named, 'Trudy');
    // That they joined elsewhere under that name does not make it theirs.
    await line(added, added, { action: 'member.joined', subject: 'Mallory', after: { role: 'reviewer' } });
    await line(named, fixture.owner, { action: 'member.changed', subject: 'x', after: { name: 'Trudy' } });
    const rename = { projectId: fixture.projectId, userId: own.userId, role: undefined, name: 'Zora' };
    await changeMember(services, { ...own }, rename);
    // First given, then chosen; and added elsewhere under it.
    await line(taken, fixture.owner, { action: 'member.joined', subject: 'Nell', after: { role: 'reviewer' } });
    await changeMember(services, taken, { ...rename, userId: taken.userId, name: 'Nell' });
    await sql('update app_user set name_settled = false');
    await sweepOnce(services);
    const names = async () => {
      const rows = await sql<{ id: string; name: string | null }>('select id, name from app_user');
      const of = new Map(rows.map(({ id, name }) => [id, name]));
      return [added, named, own, taken, fixture.anna].map(({ userId }) => of.get(userId));
    };
    expect(await names()).toEqual([null, null, 'Zora', 'Nell', 'Anna']);
    await put(added, 'Alice');
    await sweepOnce(services);
    expect(await names()).toEqual(['Alice', null, 'Zora', 'Nell', 'Anna']);
  });
});
