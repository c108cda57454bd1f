// Tests reading the change log: for owners, newest first, paged, filtered by kind, also from before it existed.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpointOf } from '@countersign/shared/contract/endpoints';
import { CHANGE_ACTIONS, CHANGE_KINDS } from '@countersign/shared/enums';
import { listChanges as endpoint } from '@countersign/shared/routes/changes';
import { changeProject, createProject } from '@countersign/shared/routes/projects';
import { person } from '../../client.ts';
import { Workbench } from '../../../src/db/migrations/0006-workbench.ts';
import { createApiKey, revokeApiKey } from '../../../src/usecases/credentials/api-keys.ts';
import { changeSettings } from '../../../src/usecases/projects/change-settings.ts';
import { listChanges, type ChangesQuery } from '../../../src/usecases/projects/list-changes.ts';
import { changeLogOf } from '../support/database-helpers.ts';
import { aPerson, createProjectFixture, useProjectFixture } from '../support/project-fixture.ts';
import { serve, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
let served: Served;
const fixture = useProjectFixture(testEnv);

beforeAll(async () => {
  served = await serve(testEnv.services);
});
afterAll(() => served.close());
const here = () => ({ projectId: fixture.projectId });
const ALL = { after: undefined, limit: 50, action: undefined, kind: undefined };
const list = (query: Partial<ChangesQuery> = {}, who = fixture.owner) =>
  listChanges(testEnv.services, who, { ...here(), ...ALL, ...query });
const changeTarget = (target_minutes: number, by = fixture.owner, settingsVersion = 1) =>
  changeSettings(testEnv.services, by, { ...here(), settingsVersion, changes: { target_minutes } });
const key = (by = fixture.owner, name = 'Nightly') => createApiKey(testEnv.services, by, { ...here(), name });

/** The statement of the migration that filled the log with earlier changes. */
function backfill(beginning = 'insert into "project_change"'): string {
  const migration = new Workbench(testEnv.orm.em.getDriver() as never, testEnv.orm.config);
  migration.up();
  const texts = migration.getQueries().map(String);
  return texts.find((text) => text.startsWith(beginning)) ?? '';
}

describe('PM: the log', () => {
  it('is for owners, and returns 404 to a stranger', async () => {
    for (const who of [fixture.anna, fixture.supervisor])
      await expect(list({}, who)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(list({}, await aPerson(testEnv.services))).rejects.toMatchObject({ code: 'not_found' });
    const other = await createProjectFixture(testEnv.services);
    await expect(list({}, other.owner)).rejects.toMatchObject({ code: 'not_found' });
    expect((await list()).rows.map(({ action }) => action)).toEqual(['key.made', 'project.created']);
  });

  it('comes in pages, newest first, each entry once, even when clocks disagree', async () => {
    for (let version = 1; version <= 5; version += 1) await changeTarget(100 + version, fixture.owner, version);
    // The clocks of two processes may differ: the order is that of writing.
    const backwards = `update project_change set changed_at = now() - position * interval '1 second' where project_id = ?`;
    await testEnv.sql(backwards, [fixture.projectId]);
    const seen: string[] = [];
    let after: string | undefined;
    do {
      const page = await list({ limit: 2, after });
      seen.push(...page.rows.map(({ subject, action }) => subject ?? action));
      // An entry written meanwhile comes before all of them and moves none.
      if (seen.length === 2) await key(fixture.owner, 'Meanwhile');
      after = page.nextCursor ?? undefined;
    } while (after !== undefined);
    expect(seen).toEqual(['v6', 'v5', 'v4', 'v3', 'v2', 'Pipeline', 'project.created']);
  });

  it('filters by one kind or one action', async () => {
    const { key: made } = await key();
    await revokeApiKey(testEnv.services, fixture.owner, { ...here(), keyId: made.id });
    await changeTarget(5);
    const actions = async (query: Partial<ChangesQuery>) => (await list(query)).rows.map(({ action }) => action);
    expect(await actions({ kind: 'key' })).toEqual(['key.revoked', 'key.made', 'key.made']);
    expect(await actions({ action: 'key.made' })).toEqual(['key.made', 'key.made']);
    expect(await actions({ kind: 'settings' })).toEqual(['settings.changed']);
    expect(await actions({ kind: 'settings', action: 'key.made' })).toEqual([]);
    for (const action of CHANGE_ACTIONS) expect(CHANGE_KINDS).toContain(action.split('.')[0]);
  });

  it('refuses a cursor of another log', async () => {
    const other = await createProjectFixture(testEnv.services);
    const theirs = { projectId: other.projectId, limit: 1 };
    const { nextCursor } = await list(theirs, other.owner);
    await expect(list({ after: nextCursor ?? '' })).rejects.toMatchObject({ code: 'invalid_cursor' });
    expect((await list({ ...theirs, after: nextCursor ?? '' }, other.owner)).rows).toHaveLength(1);
  });

  it('matches the schema of the contract', async () => {
    const owner = await person(served.testEnv);
    const { id } = await owner.call(createProject, { body: { name: 'Claims' } });
    await owner.call(changeProject, { params: { id }, body: { settings_version: 1, target_minutes: 5 } });
    const page = await owner.call(endpoint, { params: { id }, query: { limit: 1 } });
    expect(endpointOf(endpoint).reply?.parse(page)).toEqual(page);
    expect(page.data).toMatchObject([
      {
        action: 'settings.changed',
        subject: 'v2',
        before: { target_minutes: 60 },
        after: { target_minutes: 5 },
        changed_by: { user_id: owner.id },
      },
    ]);
    const older = await owner.call(endpoint, { params: { id }, query: { after: page.next_cursor ?? '' } });
    expect([older.data.map(({ action }) => action), older.next_cursor]).toEqual([['project.created'], null]);
    const query = { kind: 'decision' } as never;
    expect(await owner.attempt(endpoint, { params: { id }, query })).toMatchObject({ ok: false });
  });
});

describe('CL1: changes from before the log existed', () => {
  it('are read from the settings versions, each compared with the previous one', async () => {
    await changeTarget(5);
    await changeTarget(7, fixture.owner, 2);
    const logged = (await changeLogOf(testEnv, fixture.projectId)).filter(({ action }) => !action.startsWith('key.'));
    const versions = await testEnv.sql<{ changed_at: string }>(
      'select changed_at from project_settings where project_id = ? order by version',
      [fixture.projectId],
    );
    await testEnv.sql('delete from project_change where project_id = ?', [fixture.projectId]);
    await testEnv.sql(backfill());
    const moments = versions.map(({ changed_at }) => new Date(changed_at));
    const expected = logged.map((line, index) => ({ ...line, changed_at: moments[index] }));
    expect(await changeLogOf(testEnv, fixture.projectId)).toEqual(expected);
  });

  it('GL1: an older database learns which version introduced the guidelines, not which was the last', async () => {
    const { projectId, owner } = fixture;
    const changes = [{ guidelines: 'Be kind.' }, { target_minutes: 7 }, { audit_rate: 0.5 }];
    for (const [index, change] of changes.entries())
      await changeSettings(testEnv.services, owner, { projectId, settingsVersion: index + 1, changes: change });
    await testEnv.sql('update project set guidelines_version = 99');
    await testEnv.sql(backfill('update "project" p set "guidelines_version"'));
    const rows = await testEnv.sql<{ v: number }>('select guidelines_version as v from project where id = ?', [
      projectId,
    ]);
    expect(rows).toEqual([{ v: 2 }]);
    const other = await createProjectFixture(testEnv.services);
    await testEnv.sql(backfill('update "project" p set "guidelines_version"'));
    const theirs = 'select guidelines_version as v from project where id = ?';
    expect(await testEnv.sql(theirs, [other.projectId])).toEqual([{ v: 1 }]);
  });
});
