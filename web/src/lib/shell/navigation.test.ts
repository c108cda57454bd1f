// Tests which pages are offered: those that answer the person in at least one of their projects.
import { describe, expect, it } from 'vitest';
import { ABILITIES, type Abilities, type Ability } from '@countersign/shared/enums';
import { isUsable, PAGES } from './navigation.ts';

const abilities = (...can: Ability[]) =>
  Object.fromEntries(ABILITIES.map((ability) => [ability, can.includes(ability)])) as Abilities;
const usable = (projects: { abilities: Abilities }[] | null) =>
  PAGES.filter((page) => isUsable(page, projects)).map(({ path }) => path);

describe('the offered pages', () => {
  it.each<[string, Ability[][], string[]]>([
    ['a reviewer everywhere', [[], []], ['/projects', '/queue']],
    [
      'a supervisor of one project',
      [[], ['see_analytics', 'see_learnings']],
      ['/projects', '/queue', '/analytics', '/learnings'],
    ],
    ['somebody without a project', [], ['/projects', '/queue', '/analytics', '/learnings']],
  ])('offers the pages for %s', (_, projects, paths) => {
    expect(usable(projects.map((can) => ({ abilities: abilities(...can) })))).toEqual(paths);
  });

  it('are undecided, neither offered nor refused, until the projects are known', () => {
    expect(PAGES.map((page) => isUsable(page, null))).toEqual([true, true, null, null]);
  });
});
