// Reading the change log: for owners, newest first, page by page, one kind alone; also of what was changed before there was a log.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CHANGE_ACTIONS, CHANGE_KINDS, listChanges as endpoint } from '@countersign/shared/api/changes';
import { changeProject, createProject } from '@countersign/shared/api/projects';
import { person } from '../client.ts';
import { Workbench } from '../../src/db/migrations/0006-workbench.ts';
import { createApiKey, revokeApiKey } from '../../src/usecases/api-keys.ts';
import { changeSettings } from '../../src/usecases/change-settings.ts';
import { listChanges, type ChangesQuery } from '../../src/usecases/queries/list-changes.ts';
import { linesOf } from './looking.ts';
import { aPerson, aScene, type Scene } from './scene.ts';
import { serve, type Served } from './served.ts';
import { useServices } from './services.ts';

const world = useServices();
let served: Served;
let scene: Scene;

beforeAll(async () => {
  served = await serve(world.services);
});
afterAll(() => served.close());
beforeEach(async () => {
  scene = await aScene(world.services);
});

const here = () => ({ projectId: scene.projectId });
const ALL = { after: undefined, limit: 50, action: undefined, kind: undefined };
const list = (query: Partial<ChangesQuery> = {}, who = scene.owner) =>
  listChanges(world.services, who, { ...here(), ...ALL, ...query });
const retarget = (target_minutes: number, by = scene.owner, settingsVersion = 1) =>
  changeSettings(world.services, by, { ...here(), settingsVersion, changes: { target_minutes } });
const key = (by = scene.owner, name = 'Nightly') => createApiKey(world.services, by, { ...here(), name });

/** The statement of the migration that wrote the log of what had been changed before. */
function backfill(beginning = 'insert into "project_change"'): string {
  const migration = new Workbench(world.orm.em.getDriver() as never, world.orm.config);
  migration.up();
  const texts = migration.getQueries().map(String);
  return texts.find((text) => text.startsWith(beginning)) ?? '';
}

describe('PM: the log', () => {
  it('is for owners, and to a stranger it is not there', async () => {
    for (const who of [scene.anna, scene.supervisor])
      await expect(list({}, who)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(list({}, await aPerson(world.services))).rejects.toMatchObject({ code: 'not_found' });
    const other = await aScene(world.services);
    await expect(list({}, other.owner)).rejects.toMatchObject({ code: 'not_found' });
    expect((await list()).rows.map(({ action }) => action)).toEqual(['key.made', 'project.created']);
  });

  it('comes in pages, newest first, each line once, whatever the clocks said', async () => {
    for (let version = 1; version <= 5; version += 1) await retarget(100 + version, scene.owner, version);
    // The clocks of two processes need not agree: the order is the one in which lines were written.
    const backwards = `update project_change set changed_at = now() - position * interval '1 second' where project_id = ?`;
    await world.sql(backwards, [scene.projectId]);
    const seen: string[] = [];
    let after: string | undefined;
    do {
      const page = await list({ limit: 2, after });
      seen.push(...page.rows.map(({ subject, action }) => subject ?? action));
      // A line that is written meanwhile comes before all of them and moves none.
      if (seen.length === 2) await key(scene.owner, 'Meanwhile');
      after = page.nextCursor ?? undefined;
    } while (after !== undefined);
    expect(seen).toEqual(['v6', 'v5', 'v4', 'v3', 'v2', 'Pipeline', 'project.created']);
  });

  it('shows one kind or one action alone', async () => {
    const { key: made } = await key();
    await revokeApiKey(world.services, scene.owner, { ...here(), keyId: made.id });
    await retarget(5);
    const actions = async (query: Partial<ChangesQuery>) => (await list(query)).rows.map(({ action }) => action);
    expect(await actions({ kind: 'key' })).toEqual(['key.revoked', 'key.made', 'key.made']);
    expect(await actions({ action: 'key.made' })).toEqual(['key.made', 'key.made']);
    expect(await actions({ kind: 'settings' })).toEqual(['settings.changed']);
    expect(await actions({ kind: 'settings', action: 'key.made' })).toEqual([]);
    for (const action of CHANGE_ACTIONS) expect(CHANGE_KINDS).toContain(action.split('.')[0]);
  });

  it('refuses a cursor of another log', async () => {
    const other = await aScene(world.services);
    const theirs = { projectId: other.projectId, limit: 1 };
    const { nextCursor } = await list(theirs, other.owner);
    await expect(list({ after: nextCursor ?? '' })).rejects.toMatchObject({ code: 'invalid_cursor' });
    expect((await list({ ...theirs, after: nextCursor ?? '' }, other.owner)).rows).toHaveLength(1);
  });

  it('goes out in the words of the contract', async () => {
    const owner = await person(served.world);
    const { id } = await owner.call(createProject, { body: { name: 'Claims' } });
    await owner.call(changeProject, { params: { id }, body: { settings_version: 1, target_minutes: 5 } });
    const page = await owner.call(endpoint, { params: { id }, query: { limit: 1 } });
    expect(endpoint.reply?.parse(page)).toEqual(page);
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

describe('CL1: what was changed before there was a log', () => {
  it('is told from the settings versions, each against the one before it', async () => {
    await retarget(5);
    await retarget(7, scene.owner, 2);
    const logged = (await linesOf(world, scene.projectId)).filter(({ action }) => !action.startsWith('key.'));
    const versions = await world.sql<{ changed_at: string }>(
      'select changed_at from project_settings where project_id = ? order by version',
      [scene.projectId],
    );
    await world.sql('delete from project_change where project_id = ?', [scene.projectId]);
    await world.sql(backfill());
    const moments = versions.map(({ changed_at }) => new Date(changed_at));
    const expected = logged.map((line, index) => ({ ...line, changed_at: moments[index] }));
    expect(await linesOf(world, scene.projectId)).toEqual(expected);
  });

  it('GL1: an older database learns which version brought the guidelines, not which was the last', async () => {
    const { projectId, owner } = scene;
    const changes = [{ guidelines: 'Be kind.' }, { target_minutes: 7 }, { audit_rate: 0.5 }];
    for (const [index, change] of changes.entries())
      await changeSettings(world.services, owner, { projectId, settingsVersion: index + 1, changes: change });
    await world.sql('update project set guidelines_version = 99');
    await world.sql(backfill('update "project" p set "guidelines_version"'));
    const rows = await world.sql<{ v: number }>('select guidelines_version as v from project where id = ?', [
      projectId,
    ]);
    expect(rows).toEqual([{ v: 2 }]);
    const other = await aScene(world.services);
    await world.sql(backfill('update "project" p set "guidelines_version"'));
    const theirs = 'select guidelines_version as v from project where id = ?';
    expect(await world.sql(theirs, [other.projectId])).toEqual([{ v: 1 }]);
  });
});
