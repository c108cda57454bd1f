// Tests who gets a reserved item, on the database: before and after its time, and when people or entries change.
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Skill } from '@countersign/shared/skills';
import { changeMember, removeMember } from '../../../src/usecases/access/change-member.ts';
import { claim } from '../../../src/usecases/claims/claim.ts';
import { claimNext } from '../../../src/usecases/claims/claim-next.ts';
import { pick } from '../../../src/usecases/claims/claim-pick.ts';
import { lockRoles } from '../../../src/usecases/access/membership.ts';
import { listQueue } from '../../../src/usecases/items/list-queue.ts';
import { listChanges } from '../../../src/usecases/projects/list-changes.ts';
import { readProject } from '../../../src/usecases/projects/list-projects.ts';
import { changeSettings } from '../../../src/usecases/projects/change-settings.ts';
import type { MemberActor } from '../../../src/usecases/services.ts';
import { endAllClaims } from '../support/database-helpers.ts';
import { setDeadlineClock } from '../support/deadline-clock.ts';
import {
  addReviewers,
  anItem,
  aPerson,
  createProjectFixture,
  grantRole,
  review,
  type ProjectFixture,
} from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
let fixture: ProjectFixture;

const LEGAL = { flag: 'legal' };
const GOLD = { value: 'gold', metadata: '/team' };
const legal = { riskFlags: ['Legal'] };
const gold = { metadata: { value: { team: 'Gold' }, raw: '{"team":"Gold"}' } };

/** An entry whose people get its items half an hour before the others. */
const entry = (match: Skill['match'], ...people: MemberActor[]): Skill => ({
  match,
  people: people.map(({ userId }) => userId),
  after_minutes: 30,
});

async function setSkills(...skills: Skill[]): Promise<void> {
  const { projectId, owner } = fixture;
  const { project } = await readProject(testEnv.services, owner, projectId);
  const change = { projectId, settingsVersion: project.settingsVersion, changes: { skills } };
  await changeSettings(testEnv.services, owner, change);
}

beforeEach(async () => {
  await endAllClaims(testEnv);
  await setDeadlineClock(testEnv, 0);
  fixture = await createProjectFixture(testEnv.services, { escalate_flags: ['danger'] });
  await setSkills(entry(LEGAL, fixture.anna));
});

const next = async (who: MemberActor) =>
  (await claimNext(testEnv.services, who, { projectId: fixture.projectId }))?.item.id ?? null;
const submitted = async (overrides: Parameters<typeof anItem>[2] = {}) =>
  (await anItem(testEnv.services, fixture, overrides)).id;
const member = ({ userId }: MemberActor) => ({ projectId: fixture.projectId, userId });

describe('SK4: the next item', () => {
  it('is one that is reserved for the person, and otherwise the oldest due', async () => {
    const [plain, first, second] = [await submitted(), await submitted(legal), await submitted(legal)];
    expect([await next(fixture.anna), await next(fixture.anna), await next(fixture.anna)]).toEqual([
      first,
      second,
      plain,
    ]);
  });

  it('is not one that is reserved for others until its time has passed, and then the oldest due', async () => {
    const reserved = await submitted(legal);
    const plain = await submitted();
    expect([await next(fixture.ben), await next(fixture.ben)]).toEqual([plain, null]);
    await setDeadlineClock(testEnv, 29 * 60);
    expect(await next(fixture.ben)).toBeNull();
    await setDeadlineClock(testEnv, 31 * 60);
    const later = await submitted();
    expect([await next(fixture.ben), await next(fixture.ben)]).toEqual([reserved, later]);
  });

  it('is for a supervisor an escalated one before what is reserved for them', async () => {
    await setSkills(entry(LEGAL, fixture.supervisor));
    const [reserved, danger] = [await submitted(legal), await submitted({ riskFlags: ['danger', 'legal'] })];
    expect([await next(fixture.supervisor), await next(fixture.supervisor)]).toEqual([danger, reserved]);
  });

  it('follows the reservations of each person within one batch of requests', async () => {
    await setSkills(entry(LEGAL, fixture.anna), entry(GOLD, fixture.ben));
    const [plain, one, other] = [await submitted(), await submitted(gold), await submitted(legal)];
    const { anna, ben, owner } = fixture;
    expect(await Promise.all([owner, anna, ben].map(next))).toEqual([plain, other, one]);
  });

  it('may be claimed by ID by any member while it is reserved', async () => {
    const id = await submitted(legal);
    expect((await claim(testEnv.services, fixture.ben, id)).item.claimedBy).toBe(fixture.ben.userId);
  });

  it('is granted once when the time passes while many ask', async () => {
    const others = await addReviewers(testEnv.services, fixture, 8);
    for (let n = 0; n < 3; n += 1) {
      const ids = [await submitted(legal), await submitted(legal), await submitted()];
      const asked = [fixture.anna, ...others].map(next);
      const passed = testEnv.sql(`update item set reserved_until = now() where id = any(?::uuid[])`, [
        `{${ids.join()}}`,
      ]);
      const given = (await Promise.all(asked)).filter((id) => id !== null);
      await passed;
      expect(new Set(given).size).toBe(given.length);
      // What is left is for everybody by now.
      for (const who of others) given.push((await next(who)) ?? '');
      expect(ids.filter((id) => !given.includes(id))).toEqual([]);
      await endAllClaims(testEnv);
      await testEnv.sql(`update item set status = 'withdrawn' where project_id = ?`, [fixture.projectId]);
    }
  });
});

describe('SK2: a reserved item', () => {
  it('is for everybody when the last of its people is removed, and theirs again when they are back', async () => {
    const { owner, anna, ben } = fixture;
    await submitted(legal);
    await removeMember(testEnv.services, owner, member(anna));
    const id = await next(ben);
    expect(id).not.toBeNull();
    await endAllClaims(testEnv);
    await grantRole(testEnv.services, fixture, { who: anna });
    expect([await next(ben), await next(anna)]).toEqual([null, id]);
  });

  it('is for everybody when the setting no longer has its entry', async () => {
    const id = await submitted(legal);
    await setSkills(entry(GOLD, fixture.anna));
    expect(await next(fixture.ben)).toBe(id);
  });

  it('follows the people of its entry, whom the project names', async () => {
    const id = await submitted(legal);
    await setSkills(entry({ flag: ' LEGAL' }, fixture.ben));
    expect([await next(fixture.anna), await next(fixture.ben)]).toEqual([null, id]);
    const { skillPeople } = await readProject(testEnv.services, fixture.anna, fixture.projectId);
    expect(skillPeople).toMatchObject([{ userId: fixture.ben.userId, name: 'Ben' }]);
  });

  it('stays with its people when their role changes', async () => {
    const id = await submitted(legal);
    await changeMember(testEnv.services, fixture.owner, {
      ...member(fixture.anna),
      role: 'supervisor',
      name: undefined,
    });
    expect(await next(fixture.anna)).toBe(id);
  });
});

describe('SK2: a change of the entries', () => {
  it('refuses people who are not members, and keeps those who have left', async () => {
    const stranger = await aPerson(testEnv.services);
    await expect(setSkills(entry(LEGAL, fixture.anna, stranger))).rejects.toMatchObject({
      code: 'validation_failed',
      extras: { errors: [{ pointer: '#/skills/0/people/1', code: 'SK2' }] },
    });
    await removeMember(testEnv.services, fixture.owner, member(fixture.anna));
    await setSkills(entry(LEGAL, fixture.ben, fixture.anna));
    const { project, skillPeople } = await readProject(testEnv.services, fixture.owner, fixture.projectId);
    expect(project.skills[0]?.people).toHaveLength(2);
    expect(skillPeople.map(({ name }) => name)).toEqual(['Ben']);
  });
});

describe('CL1: the change log', () => {
  it('has the people of an entry by ID, and lists them by the names they have now', async () => {
    const { projectId, owner, anna } = fixture;
    const query = { projectId, after: undefined, limit: 1, action: undefined, kind: undefined };
    const { rows, people } = await listChanges(testEnv.services, owner, query);
    expect(rows[0]?.after).toEqual({ skills: [entry(LEGAL, anna)] });
    expect(people.get(anna.userId)).toBe('Anna');
  });
});

describe('SK3: a row', () => {
  it('says for whom and until when, also of an audit, and not once it is escalated', async () => {
    const { projectId, owner, anna } = fixture;
    await changeSettings(testEnv.services, owner, { projectId, settingsVersion: 2, changes: { audit_rate: 1 } });
    const ids = [await submitted(legal), await submitted({ ...legal, confidence: 0.99 }), await submitted(legal)];
    await review(testEnv.services, anna, { itemId: ids[2] ?? '', action: 'escalate' });
    const { items } = await listQueue(testEnv.services, owner, { projectId, view: 'all', after: undefined, limit: 10 });
    const found = new Map(items.map((item) => [item.id, item]));
    expect(ids.map((id) => found.get(id)?.reservedFor)).toEqual(['flag:legal', 'flag:legal', 'flag:legal']);
    expect(ids.map((id) => found.get(id)?.status)).toEqual(['queued', 'queued', 'escalated']);
    const audits = await testEnv.sql('select id from item where project_id = ? and audit', [projectId]);
    expect(audits).toEqual([{ id: ids[1] }]);
  });
});

describe('SK4: at any time', () => {
  const ENTRIES = ['flag:legal', 'flag:gone', 'flag:gold'];
  const times = fc.integer({ min: -2, max: 2 }).filter((n) => n !== 0);
  const rows = fc.array(
    fc.record({ due: fc.integer({ min: 0, max: 3 }), entry: fc.option(fc.constantFrom(...ENTRIES)), hours: times }),
    { minLength: 1, maxLength: 8 },
  );

  it('each person gets what is theirs first, then what is for everybody, and each item has somebody', async () => {
    const { projectId, anna, ben, owner } = fixture;
    // `flag:gone` has only a person who left.
    const left = await aPerson(testEnv.services);
    await grantRole(testEnv.services, fixture, { who: left });
    await setSkills(entry(LEGAL, anna), entry({ flag: 'gone' }, left), entry({ flag: 'gold' }, anna, ben));
    await removeMember(testEnv.services, owner, member(left));
    const template = await submitted();
    const theirs = new Map([
      [anna, ['flag:legal', 'flag:gold']],
      [ben, ['flag:gold']],
      [owner, []],
    ]);
    await fc.assert(
      fc.asyncProperty(rows, async (made) => {
        await testEnv.sql('delete from item where project_id = ? and id <> ?', [projectId, template]);
        await testEnv.sql(
          `insert into item (id, project_id, status, input, suggestion, confidence, risk_flags, preview, rule, auto_threshold, review_threshold,
             matched_flags, settings_version, version, created_at, due_at, reserved_for, reserved_until)
           select gen_random_uuid(), project_id, 'queued', input, suggestion, confidence, '{}', n::text, rule, auto_threshold, review_threshold,
             '{}', 1, 1, created_at, due_at - (10 - due) * interval '1 hour', entry, case when entry is not null then now() + hours * interval '1 hour' end
           from item, json_to_recordset(?::json) as r(n int, due int, entry text, hours int) where item.id = ?`,
          [JSON.stringify(made.map((row, n) => ({ ...row, n }))), template],
        );
        const stored = await testEnv.sql<{ id: string; preview: string }>(
          'select id, preview from item where project_id = ? and id <> ? order by due_at, id',
          [projectId, template],
        );
        const isReserved = ({ preview }: { preview: string }) => {
          const row = made[Number(preview)];
          return typeof row?.entry === 'string' && row.entry !== 'flag:gone' && row.hours > 0;
        };
        const given = new Set<string>();
        for (const [who, entries] of theirs) {
          const own = stored.filter(
            (row) => isReserved(row) && entries.includes(made[Number(row.preview)]?.entry ?? ''),
          );
          const open = stored.filter((row) => !isReserved(row));
          const picked = await testEnv.services.db.write(async ({ em }) => {
            const roles = await lockRoles(em, who.userId, [projectId]);
            return pick(em, { roles, free: [], lock: true, most: 20 });
          });
          expect(picked.filter((id) => id !== template)).toEqual([...own, ...open].map(({ id }) => id));
          for (const id of picked) given.add(id);
        }
        expect(given.size).toBe(stored.length + 1);
      }),
      { numRuns: 15 },
    );
  });
});
