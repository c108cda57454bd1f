// Guidelines in versions, and GL1: who was a member when they changed is told once what changed.
import { beforeEach, describe, expect, it } from 'vitest';
import type { ProjectSettings } from '@countersign/shared/api/projects';
import { removeMember } from '../../src/usecases/change-member.ts';
import { changeSettings } from '../../src/usecases/change-settings.ts';
import {
  listGuidelinesNews,
  listGuidelinesVersions,
  readGuidelines,
} from '../../src/usecases/queries/read-guidelines.ts';
import { readProject } from '../../src/usecases/queries/list-projects.ts';
import { seeGuidelines } from '../../src/usecases/see-guidelines.ts';
import type { MemberActor } from '../../src/usecases/services.ts';
import { holding, waiting } from './holding.ts';
import { aPerson, aScene, letIn, type Scene } from './scene.ts';
import { useServices } from './services.ts';

const world = useServices();
let scene: Scene;

beforeEach(async () => {
  scene = await aScene(world.services, { guidelines: 'One.' });
});

/** Saves on top of whatever is there; answers the new version. */
async function save(changes: Partial<ProjectSettings>, who = scene.owner): Promise<number> {
  const { project } = await readProject(world.services, who, scene.projectId);
  const change = { projectId: scene.projectId, settingsVersion: project.settingsVersion, changes };
  await changeSettings(world.services, who, change);
  return project.settingsVersion + 1;
}
const write = (guidelines: string, who = scene.owner) => save({ guidelines }, who);
const read = (who: MemberActor) => readGuidelines(world.services, who, scene.projectId);
const see = (who: MemberActor, version: number) =>
  seeGuidelines(world.services, who, { projectId: scene.projectId, version });
/** What somebody is told in this project: from which text to which. */
const newsOf = async (who: MemberActor) =>
  (await listGuidelinesNews(world.services, who))
    .filter(({ project_id }) => project_id === scene.projectId)
    .map(({ seen_text, text }) => [seen_text, text]);
const versions = async (input: { after?: number; limit?: number } = {}) => {
  const { after, limit = 20 } = input;
  const page = await listGuidelinesVersions(world.services, scene.anna, { projectId: scene.projectId, after, limit });
  return { ...page, rows: page.rows.map(({ version, text, name }) => [version, text, name]) };
};
const join = (who: MemberActor) => letIn(world.services, scene, { who });

describe('GL1: a change of the guidelines', () => {
  it('is told to every member but its author, until they have seen it, and never again', async () => {
    expect(await newsOf(scene.anna)).toEqual([]);
    const version = await write('One.\n\nTwo.');
    for (const member of [scene.anna, scene.ben, scene.supervisor])
      expect(await newsOf(member)).toEqual([['One.', 'One.\n\nTwo.']]);
    expect(await newsOf(scene.owner)).toEqual([]);

    await see(scene.anna, version);
    expect(await newsOf(scene.anna)).toEqual([]);
    expect(await newsOf(scene.ben)).toHaveLength(1);
    await save({ target_minutes: 90 });
    expect(await newsOf(scene.anna)).toEqual([]);
  });

  it('is told from the text that was seen last, however many versions lie between', async () => {
    await see(scene.anna, await write('Two.'));
    await write('Three.');
    await write('Four.');
    expect(await newsOf(scene.anna)).toEqual([['Two.', 'Four.']]);
    expect(await newsOf(scene.ben)).toEqual([['One.', 'Four.']]);
  });

  it('that came while an older one was being read is told after it', async () => {
    const second = await write('Two.');
    await write('Three.');
    await see(scene.anna, second);
    expect(await newsOf(scene.anna)).toEqual([['Two.', 'Three.']]);
  });

  it('that was taken back is nothing to tell', async () => {
    await write('Two.');
    await write('One.');
    expect(await newsOf(scene.anna)).toEqual([]);
    expect(await read(scene.anna)).toMatchObject({ text: 'One.', seen_text: null, seen_version: 1 });
  });

  it('is not told to who joins after it, nor to who comes back; what comes later is', async () => {
    await write('Two.');
    const carol = await aPerson(world.services);
    await join(carol);
    await removeMember(world.services, scene.owner, { projectId: scene.projectId, userId: scene.ben.userId });
    await join(scene.ben);
    for (const member of [carol, scene.ben]) expect(await newsOf(member)).toEqual([]);
    await write('Three.');
    for (const member of [carol, scene.ben]) expect(await newsOf(member)).toEqual([['Two.', 'Three.']]);
  });

  it('is told to who gets another role all the same', async () => {
    await write('Two.');
    await letIn(world.services, scene, { who: scene.ben, role: 'owner' });
    expect(await newsOf(scene.ben)).toEqual([['One.', 'Two.']]);
  });

  it('is told of the actor’s own projects alone, and of none that is archived', async () => {
    const other = await aScene(world.services, { guidelines: 'Other.' });
    await write('Two.');
    expect(await listGuidelinesNews(world.services, other.anna)).toEqual([]);
    await world.sql('update project set archived_at = now() where id = ?', [scene.projectId]);
    expect(await newsOf(scene.anna)).toEqual([]);
  });

  it('is not told to who joins while it is being saved', async () => {
    const carol = await aPerson(world.services);
    const saving: [string, unknown[]] = ['update project set guidelines_version = 7 where id = ?', [scene.projectId]];
    await holding(world, saving, async (commit) => {
      const joined = join(carol);
      await waiting(world, 1);
      await commit();
      await joined;
    });
    const rows = await world.sql('select guidelines_seen from member where user_id = ?', [carol.userId]);
    expect(rows).toEqual([{ guidelines_seen: 7 }]);
  });
});

describe('GL1: what was seen', () => {
  const seen = async (who: MemberActor) => (await read(who)).seen_version;

  it('only rises, and not beyond what there is', async () => {
    const second = await write('Two.');
    const third = await write('Three.');
    await see(scene.anna, third);
    await see(scene.anna, second);
    expect(await seen(scene.anna)).toBe(third);
    await see(scene.ben, 2_147_483_647);
    expect(await seen(scene.ben)).toBe(third);
    await write('Four.');
    expect(await newsOf(scene.ben)).toEqual([['Three.', 'Four.']]);
  });

  it('is nobody else’s: a stranger is told that there is nothing', async () => {
    const stranger = await aPerson(world.services);
    await expect(see(stranger, 1)).rejects.toMatchObject({ code: 'not_found' });
    await expect(read(stranger)).rejects.toMatchObject({ code: 'not_found' });
    const asked = { projectId: scene.projectId, after: undefined, limit: 5 };
    await expect(listGuidelinesVersions(world.services, stranger, asked)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('any member reads the text, who wrote it and when', async () => {
    const version = await write('Two.');
    const row = await read(scene.anna);
    expect(row).toMatchObject({ version, text: 'Two.', name: 'Olga', seen_version: 1, seen_text: 'One.' });
    expect(Math.abs(new Date(row.changed_at).getTime() - Date.now())).toBeLessThan(60_000);
  });
});

describe('the versions', () => {
  it('are those that changed the text, newest first, with who wrote them', async () => {
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

  it('come in pages that go on where the last one ended', async () => {
    for (const text of ['Two.', 'Three.', 'Four.']) await write(text);
    const first = await versions({ limit: 3 });
    expect(first.rows.map(([version]) => version)).toEqual([4, 3, 2]);
    expect(first.nextCursor).toBe('2');
    expect(await versions({ after: 2, limit: 3 })).toEqual({ rows: [[1, 'One.', 'Olga']], nextCursor: null });
  });

  it('of a project that began without guidelines begin with the first text', async () => {
    scene = await aScene(world.services);
    expect((await versions()).rows).toEqual([]);
    await write('One.');
    expect((await versions()).rows).toEqual([[2, 'One.', 'Olga']]);
  });
});
