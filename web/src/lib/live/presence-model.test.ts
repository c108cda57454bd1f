// Presence in the page: what the server tells becomes who is online, who looks at what, and who is away.
import { describe, expect, it } from 'vitest';
import type { UserPresence, PresenceChange } from '@countersign/shared/sockets';
import {
  isAway,
  withPresenceChange,
  onlyProjects,
  withoutProject,
  viewersByItem,
  NO_PRESENCE,
  others,
} from './presence-model.ts';

const who = (name: string, more: Partial<UserPresence> = {}): UserPresence => ({
  user_id: name.toLowerCase(),
  name,
  idle: false,
  viewing: [],
  ...more,
});
const change = (project: string, online: UserPresence[], left: string[] = [], snapshot = false): PresenceChange => ({
  project_id: project,
  snapshot,
  online,
  left,
});
const known = (...changes: PresenceChange[]) => changes.reduce(withPresenceChange, NO_PRESENCE);
const names = (people: readonly UserPresence[]) => people.map(({ name }) => name);

describe('who is online', () => {
  it('is everybody else, each once over all projects, whoever is at work first, then by name', () => {
    const now = known(
      change('north', [who('Me'), who('Bo', { idle: true }), who('Cem', { idle: true })], [], true),
      change('south', [who('Bo'), who('Ana', { viewing: ['7'] })], [], true),
    );
    expect(names(others(now, 'me', null))).toEqual(['Ana', 'Bo', 'Cem']);
    expect(names(others(now, 'me', 'north'))).toEqual(['Bo', 'Cem']);
    expect(names(others(now, 'me', 'unheard of'))).toEqual([]);
  });

  it('follows what is told: who comes, changes, leaves; what is whole replaces', () => {
    const first = known(change('north', [who('Ana'), who('Bo')], [], true), change('north', [who('Cem')], ['ana']));
    expect(names(others(first, 'me', null))).toEqual(['Bo', 'Cem']);
    expect(names(others(withPresenceChange(first, change('north', [who('Dia')], [], true)), 'me', null))).toEqual([
      'Dia',
    ]);
  });

  it('is forgotten of a project the reader has left, and of what is not named after a reconnect', () => {
    const now = known(change('north', [who('Ana')]), change('south', [who('Bo')]));
    expect(names(others(withoutProject(now, 'north'), 'me', null))).toEqual(['Bo']);
    expect(names(others(onlyProjects(now, ['north', 'west']), 'me', null))).toEqual(['Ana']);
  });
});

describe('who looks at what', () => {
  it('is known by item, in the order of names', () => {
    const now = known(change('north', [who('Bo', { viewing: ['7', '8'] }), who('Ana', { viewing: ['7'] })]));
    expect(names(viewersByItem(now).get('7') ?? [])).toEqual(['Ana', 'Bo']);
    expect(names(viewersByItem(now).get('8') ?? [])).toEqual(['Bo']);
    expect(viewersByItem(now).get('9')).toBeUndefined();
  });
});

describe('a holder is away', () => {
  const now = known(change('north', [who('Ana'), who('Bo', { idle: true })], [], true));

  it('when no tab of theirs is open or none is in use', () => {
    expect([isAway(now, 'north', 'ana'), isAway(now, 'north', 'bo'), isAway(now, 'north', 'cem')]).toEqual([
      false,
      true,
      true,
    ]);
  });

  it('never as long as nothing was told of the project', () => {
    expect(isAway(now, 'south', 'ana')).toBe(false);
  });
});
