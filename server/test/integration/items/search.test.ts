// Tests the search over items of any status and people: what it finds, in which projects, and what it leaves out.
import { beforeAll, describe, expect, it } from 'vitest';
import { randomUUID } from 'node:crypto';
import { search } from '../../../src/usecases/items/search.ts';
import { createProjectFixture, anItem, type ProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
let fixture: ProjectFixture;
let foreign: ProjectFixture;
const ids: Record<string, string> = {};

async function submitted(name: string, of: ProjectFixture, preview: string): Promise<void> {
  const { id } = await anItem(testEnv.services, of, {});
  await testEnv.sql('update item set preview = ? where id = ?', [preview, id]);
  ids[name] = id;
}

beforeAll(async () => {
  fixture = await createProjectFixture(testEnv.services, {});
  foreign = await createProjectFixture(testEnv.services, {});
  await submitted('waiting', fixture, 'Refund of the broken kettle, 100 % sure');
  await submitted('decided', fixture, 'The kettle arrived late: Ärger');
  await testEnv.sql(`update item set status = 'approved' where id = ?`, [ids.decided]);
  await submitted('foreign', foreign, 'Another kettle');
});

const find = async (text: string, of: ProjectFixture = fixture) => search(testEnv.services, of.anna, { text });
const namesOf = ({ items }: Awaited<ReturnType<typeof find>>) =>
  items.map(({ id }) => Object.entries(ids).find(([, other]) => other === id)?.[0]).sort();

describe('a search', () => {
  it.each<[string, string[]]>([
    ['kettle', ['decided', 'waiting']],
    ['KETTLE  refund', ['waiting']],
    ['kettle nowhere', []],
    ['100 %', ['waiting']],
    ['_', []],
    ['Ärger', ['decided']],
  ])('for %j finds the items of the own projects with every word, in any status', async (text, found) => {
    expect(namesOf(await find(text))).toEqual(found);
  });

  it('for an ID finds that item, in capitals too, and never one of another project', async () => {
    expect(namesOf(await find(ids.decided ?? ''))).toEqual(['decided']);
    expect(namesOf(await find((ids.decided ?? '').toUpperCase()))).toEqual(['decided']);
    expect(namesOf(await find(ids.foreign ?? ''))).toEqual([]);
    expect(namesOf(await find(ids.foreign ?? '', foreign))).toEqual(['foreign']);
    expect(namesOf(await find(randomUUID()))).toEqual([]);
  });

  it('for a name or the start of a wallet finds members of the own projects, each once', async () => {
    const [user] = await testEnv.sql<{ name: string | null; address: string }>(
      'select name, address from app_user where id = ?',
      [fixture.anna.userId],
    );
    const found = (await find(user?.address.slice(0, 12) ?? '')).people;
    expect(found.map(({ user_id, project_id }) => [user_id, project_id])).toEqual([
      [fixture.anna.userId, fixture.projectId],
    ]);
    expect((await find(user?.address.slice(0, 12) ?? '', foreign)).people).toEqual([]);
  });

  it('AR1: finds nothing in an archived project', async () => {
    const archived = await createProjectFixture(testEnv.services, {});
    await submitted('archived', archived, 'An archived kettle');
    expect(namesOf(await find('kettle', archived))).toEqual(['archived']);
    await testEnv.sql('update project set archived_at = now() where id = ?', [archived.projectId]);
    expect(namesOf(await find('kettle', archived))).toEqual([]);
  });

  it('QU24: examines the newest items of each project up to a limit, and says whether it left some out', async () => {
    const many = await createProjectFixture(testEnv.services, {});
    await submitted('oldest', many, 'A needle');
    await submitted('newer', many, 'Hay');
    await testEnv.sql(`update item set created_at = created_at + interval '1 s' where id = ?`, [ids.newer]);
    const searched = async (text: string, examined: number) => {
      const results = await search(testEnv.services, many.anna, { text, examined });
      return [namesOf(results), results.complete];
    };
    expect(await searched('needle', 1)).toEqual([[], false]);
    expect(await searched('hay', 1)).toEqual([['newer'], false]);
    expect(await searched('needle', 2)).toEqual([['oldest'], true]);
  });
});
