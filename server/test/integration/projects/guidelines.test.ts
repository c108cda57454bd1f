// Tests versioned guidelines, and GL1: members at the time of a change see once what changed.
import { beforeEach, describe, expect, it } from 'vitest';
import type { ProjectSettings } from '@countersign/shared/settings';
import { removeMember } from '../../../src/usecases/access/change-member.ts';
import { changeSettings } from '../../../src/usecases/projects/change-settings.ts';
import {
  listGuidelinesNews,
  listGuidelinesVersions,
  readGuidelines,
  seeGuidelines,
} from '../../../src/usecases/projects/guidelines.ts';
import { readProject } from '../../../src/usecases/projects/list-projects.ts';
import type { MemberActor } from '../../../src/usecases/services.ts';
import { withOpenTransaction, waitForBlocked } from '../support/blocking-transaction.ts';
import { aPerson, createProjectFixture, grantRole, type ProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
let fixture: ProjectFixture;

beforeEach(async () => {
  fixture = await createProjectFixture(testEnv.services, { guidelines: 'One.' });
});

/** Saves on top of the current version; returns the new version. */
async function save(changes: Partial<ProjectSettings>, who = fixture.owner): Promise<number> {
  const { project } = await readProject(testEnv.services, who, fixture.projectId);
  const change = { projectId: fixture.projectId, settingsVersion: project.settingsVersion, changes };
  await changeSettings(testEnv.services, who, change);
  return project.settingsVersion + 1;
}
const write = (guidelines: string, who = fixture.owner) => save({ guidelines }, who);
const read = (who: MemberActor) => readGuidelines(testEnv.services, who, fixture.projectId);
const see = (who: MemberActor, version: number) =>
  seeGuidelines(testEnv.services, who, { projectId: fixture.projectId, version });
/** The notice a person gets in this project: from which text to which. */
const unseenGuidelinesOf = async (who: MemberActor) =>
  (await listGuidelinesNews(testEnv.services, who))
    .filter(({ project_id }) => project_id === fixture.projectId)
    .map(({ seen_text, text }) => [seen_text, text]);
const versions = async (input: { after?: number; limit?: number } = {}) => {
  const { after, limit = 20 } = input;
  const page = await listGuidelinesVersions(testEnv.services, fixture.anna, {
    projectId: fixture.projectId,
    after,
    limit,
  });
  return { ...page, rows: page.rows.map(({ version, text, name }) => [version, text, name]) };
};
const join = (who: MemberActor) => grantRole(testEnv.services, fixture, { who });

describe('GL1: a change of the guidelines', () => {
  it('is shown to every member but its author until they have seen it, and never again', async () => {
    expect(await unseenGuidelinesOf(fixture.anna)).toEqual([]);
    const version = await write('One.\n\nTwo.');
    for (const member of [fixture.anna, fixture.ben, fixture.supervisor])
      expect(await unseenGuidelinesOf(member)).toEqual([['One.', 'One.\n\nTwo.']]);
    expect(await unseenGuidelinesOf(fixture.owner)).toEqual([]);

    await see(fixture.anna, version);
    expect(await unseenGuidelinesOf(fixture.anna)).toEqual([]);
    expect(await unseenGuidelinesOf(fixture.ben)).toHaveLength(1);
    await save({ target_minutes: 90 });
    expect(await unseenGuidelinesOf(fixture.anna)).toEqual([]);
  });

  it('is compared with the text seen last, however many versions lie between', async () => {
    await see(fixture.anna, await write('Two.'));
    await write('Three.');
    await write('Four.');
    expect(await unseenGuidelinesOf(fixture.anna)).toEqual([['Two.', 'Four.']]);
    expect(await unseenGuidelinesOf(fixture.ben)).toEqual([['One.', 'Four.']]);
  });

  it('a change of the guidelines that was saved while a person read an older one is shown after it', async () => {
    const second = await write('Two.');
    await write('Three.');
    await see(fixture.anna, second);
    expect(await unseenGuidelinesOf(fixture.anna)).toEqual([['Two.', 'Three.']]);
  });

  it('a change of the guidelines that was reverted gives no notice', async () => {
    await write('Two.');
    await write('One.');
    expect(await unseenGuidelinesOf(fixture.anna)).toEqual([]);
    expect(await read(fixture.anna)).toMatchObject({ text: 'One.', seen_text: null, seen_version: 1 });
  });

  it('is not shown to a member who joins after it or comes back; later versions are', async () => {
    await write('Two.');
    const carol = await aPerson(testEnv.services);
    await join(carol);
    await removeMember(testEnv.services, fixture.owner, { projectId: fixture.projectId, userId: fixture.ben.userId });
    await join(fixture.ben);
    for (const member of [carol, fixture.ben]) expect(await unseenGuidelinesOf(member)).toEqual([]);
    await write('Three.');
    for (const member of [carol, fixture.ben]) expect(await unseenGuidelinesOf(member)).toEqual([['Two.', 'Three.']]);
  });

  it('is shown to a member whose role changed', async () => {
    await write('Two.');
    await grantRole(testEnv.services, fixture, { who: fixture.ben, role: 'owner' });
    expect(await unseenGuidelinesOf(fixture.ben)).toEqual([['One.', 'Two.']]);
  });

  it('is listed for the projects of the actor alone, and for no archived one', async () => {
    const other = await createProjectFixture(testEnv.services, { guidelines: 'Other.' });
    await write('Two.');
    expect(await listGuidelinesNews(testEnv.services, other.anna)).toEqual([]);
    await testEnv.sql('update project set archived_at = now() where id = ?', [fixture.projectId]);
    expect(await unseenGuidelinesOf(fixture.anna)).toEqual([]);
  });

  it('is not shown to a member who joins while it is being saved', async () => {
    const carol = await aPerson(testEnv.services);
    const saving: [string, unknown[]] = ['update project set guidelines_version = 7 where id = ?', [fixture.projectId]];
    await withOpenTransaction(testEnv, saving, async (commit) => {
      const joined = join(carol);
      await waitForBlocked(testEnv, 1);
      await commit();
      await joined;
    });
    const rows = await testEnv.sql('select guidelines_seen from member where user_id = ?', [carol.userId]);
    expect(rows).toEqual([{ guidelines_seen: 7 }]);
  });
});

describe('GL1: the seen version', () => {
  const seen = async (who: MemberActor) => (await read(who)).seen_version;

  it('only rises, and not beyond the current one', async () => {
    const second = await write('Two.');
    const third = await write('Three.');
    await see(fixture.anna, third);
    await see(fixture.anna, second);
    expect(await seen(fixture.anna)).toBe(third);
    await see(fixture.ben, 2_147_483_647);
    expect(await seen(fixture.ben)).toBe(third);
    await write('Four.');
    expect(await unseenGuidelinesOf(fixture.ben)).toEqual([['Three.', 'Four.']]);
  });

  it('is the actor’s own: a stranger gets 404', async () => {
    const stranger = await aPerson(testEnv.services);
    await expect(see(stranger, 1)).rejects.toMatchObject({ code: 'not_found' });
    await expect(read(stranger)).rejects.toMatchObject({ code: 'not_found' });
    const asked = { projectId: fixture.projectId, after: undefined, limit: 5 };
    await expect(listGuidelinesVersions(testEnv.services, stranger, asked)).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('can be read by any member, with its text, author and time', async () => {
    const version = await write('Two.');
    const row = await read(fixture.anna);
    expect(row).toMatchObject({ version, text: 'Two.', name: 'Olga', seen_version: 1, seen_text: 'One.' });
    expect(Math.abs(new Date(row.changed_at).getTime() - Date.now())).toBeLessThan(60_000);
  });
});

describe('the versions', () => {
  it('are those that changed the text, newest first, with their authors', async () => {
    await save({ auto_threshold: 0.9 });
    await write('Two.');
    await save({ auto_threshold: 0.8 });
    await write('');
    expect(await versions()).toEqual({
      rows: [
        [5, '', 'Olga'],
        [3, 'Two.', 'Olga'],
        [1, 'One.', 'Olga'],
      ],
      nextCursor: null,
    });
  });

  it('come in pages that continue where the last one ended', async () => {
    for (const text of ['Two.', 'Three.', 'Four.']) await write(text);
    const first = await versions({ limit: 3 });
    expect(first.rows.map(([version]) => version)).toEqual([4, 3, 2]);
    expect(first.nextCursor).toBe('2');
    expect(await versions({ after: 2, limit: 3 })).toEqual({ rows: [[1, 'One.', 'Olga']], nextCursor: null });
  });

  it('of a project that started without guidelines start with the first text', async () => {
    fixture = await createProjectFixture(testEnv.services);
    expect((await versions()).rows).toEqual([]);
    await write('One.');
    expect((await versions()).rows).toEqual([[2, 'One.', 'Olga']]);
  });
});
