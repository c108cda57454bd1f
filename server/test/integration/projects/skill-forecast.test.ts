// Tests the forecast of `skills` on the database (SK5): which items it counts, how many, and for whom.
import { expect, it } from 'vitest';
import { SKILL_SAMPLE } from '@countersign/shared/limits';
import type { Skill } from '@countersign/shared/skills';
import { changeSettings } from '../../../src/usecases/projects/change-settings.ts';
import { forecastSkills } from '../../../src/usecases/projects/forecast-skills.ts';
import { readProject } from '../../../src/usecases/projects/list-projects.ts';
import type { MemberActor } from '../../../src/usecases/services.ts';
import { anItem, createProjectFixture, useProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
const fixture = useProjectFixture(testEnv);

const PERSON = '0198c2f0-7a10-7c3e-9f6b-000000000001';
const LEGAL: Skill = { match: { flag: 'legal' }, people: [PERSON], after_minutes: 30 };
const GOLD: Skill = { match: { metadata: '/team', value: 'gold' }, people: [PERSON], after_minutes: 30 };
const RULES = { auto_threshold: 0.9, review_threshold: 0.5, below_review: 'queue', escalate_flags: [] } as const;
const gold = { metadata: { value: { team: 'Gold' }, raw: '{"team":"Gold"}' } };

const forecast = (skills: Skill[], who: MemberActor = fixture.supervisor) => {
  const rules = { ...RULES, escalate_flags: [...RULES.escalate_flags], skills };
  return forecastSkills(testEnv.services, who, { projectId: fixture.projectId, rules });
};
const blockUser = (id: string) => testEnv.sql('update app_user set blocked_at = now() where id = ?', [id]);
const reservedBy = async (...skills: Skill[]) => (await forecast(skills)).entries.map(({ reserved }) => reserved);

it('SK5: counts flags and metadata, in the order of the entries, and stores nothing', async () => {
  await anItem(testEnv.services, fixture, { riskFlags: ['Legal'] });
  await anItem(testEnv.services, fixture, gold);
  await anItem(testEnv.services, fixture, { ...gold, riskFlags: ['legal'] });
  expect(await forecast([LEGAL, GOLD])).toEqual({
    items: 3,
    queued: 3,
    entries: [
      { reserved: 2, early: 0, people: [] },
      { reserved: 1, early: 0, people: [] },
    ],
  });
  expect(await reservedBy(LEGAL)).toEqual([2]);
  expect(await testEnv.sql('select id from item where reserved_for is not null')).toEqual([]);
});

it('SK2, SK5: names the people of each entry who are members and not blocked', async () => {
  const { owner, anna, ben } = fixture;
  const people = [PERSON, anna.userId, ben.userId];
  const counted = async () => (await forecast([{ ...LEGAL, people }, GOLD])).entries.map((entry) => entry.people);
  expect(await counted()).toEqual([[anna.userId, ben.userId], []]);
  await blockUser(anna.userId);
  expect(await counted()).toEqual([[ben.userId], []]);
  await changeSettings(testEnv.services, owner, {
    ...{ projectId: fixture.projectId, settingsVersion: 1 },
    changes: { skills: [{ ...LEGAL, people: [anna.userId, ben.userId] }] },
  });
  const { skillPeople } = await readProject(testEnv.services, owner, fixture.projectId);
  expect(skillPeople.map(({ userId }) => userId)).toEqual([ben.userId]);
});

it('SK3, SK5: counts what a deadline would have shortened', async () => {
  const { id } = await anItem(testEnv.services, fixture, { riskFlags: ['legal'] });
  await testEnv.sql('update item set deadline_span = 600 where id = ?', [id]);
  expect((await forecast([LEGAL])).entries).toEqual([{ reserved: 1, early: 1, people: [] }]);
});

it('SK5: counts the newest 1,000 items of this project, without redacted ones', async () => {
  const { id } = await anItem(testEnv.services, fixture, { ...gold, confidence: 0.7 });
  const columns = `project_id, status, input, suggestion, metadata, confidence, risk_flags, preview, rule, auto_threshold,
    review_threshold, matched_flags, settings_version, version, due_at`;
  await testEnv.sql(
    `insert into item (id, ${columns}, created_at)
     select gen_random_uuid(), ${columns}, created_at + (n / 3) * interval '1 ms' from item, generate_series(1, ${SKILL_SAMPLE}) n where id = ?`,
    [id],
  );
  // The oldest, and not by its ID: two others were created at the same moment.
  await testEnv.sql(
    `update item set metadata = '{"team":"silver"}', created_at = created_at - interval '1 second' where id = ?`,
    [id],
  );
  const other = await createProjectFixture(testEnv.services);
  await anItem(testEnv.services, other, gold);
  expect(await forecast([GOLD])).toMatchObject({ items: SKILL_SAMPLE, entries: [{ reserved: SKILL_SAMPLE }] });
  await testEnv.sql(
    `update item set emptied_at = now() where id in (select id from item where project_id = ? order by created_at desc, id desc limit 10)`,
    [fixture.projectId],
  );
  expect((await forecast([GOLD])).items).toBe(SKILL_SAMPLE - 10);
});

it('SK5: counts fewer items where their metadata is long, and says how many', async () => {
  const { id } = await anItem(testEnv.services, fixture, gold);
  const columns = `project_id, status, input, suggestion, confidence, risk_flags, preview, rule, auto_threshold,
    review_threshold, matched_flags, settings_version, version, due_at`;
  await testEnv.sql(
    `insert into item (id, ${columns}, metadata, created_at)
     select gen_random_uuid(), ${columns}, '{"team":"gold","text":"' || repeat('x', 200000) || '"}', created_at + n * interval '1 ms'
     from item, generate_series(1, 149) n where id = ?`,
    [id],
  );
  expect(await forecast([GOLD])).toMatchObject({ items: 100, entries: [{ reserved: 100 }] });
  expect((await forecast([LEGAL])).items).toBe(150);
});

it('PM: is for supervisors and owners', async () => {
  await expect(forecast([LEGAL], fixture.anna)).rejects.toMatchObject({ code: 'forbidden' });
  const stranger = await createProjectFixture(testEnv.services);
  await expect(forecast([LEGAL], stranger.owner)).rejects.toMatchObject({ code: 'not_found' });
});
