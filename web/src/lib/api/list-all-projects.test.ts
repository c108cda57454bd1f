// A list of projects with several pages is read completely.
import { afterEach, expect, it, vi } from 'vitest';
import { allProjects } from './list-all-projects.ts';

afterEach(() => vi.unstubAllGlobals());

it('RL9: requests every page, each from the cursor of the one before', async () => {
  const requests: string[] = [];
  const pages = new Map([
    [null, { data: [{ id: '1' }, { id: '2' }], next_cursor: 'a' }],
    ['a', { data: [{ id: '3' }], next_cursor: 'b' }],
    ['b', { data: [], next_cursor: null }],
  ]);
  vi.stubGlobal('fetch', (path: string) => {
    requests.push(path);
    return Promise.resolve(Response.json(pages.get(new URL(path, 'http://x').searchParams.get('after'))));
  });
  expect((await allProjects({ archived: true })).map(({ id }) => id)).toEqual(['1', '2', '3']);
  const query = (path: string) => Object.fromEntries(new URL(path, 'http://x').searchParams);
  expect(requests.map(query)).toEqual([
    { limit: '200', archived: 'true' },
    { limit: '200', archived: 'true', after: 'a' },
    { limit: '200', archived: 'true', after: 'b' },
  ]);
});
