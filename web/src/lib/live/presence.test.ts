// The page's presence model: from the server's messages to who is online, who views what, and who is away.
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
} from './presence.svelte.ts';

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
  it('lists everybody else once over all projects, active people first, then by name', () => {
    const now = known(
      change('north', [who('Me'), who('Bo', { idle: true }), who('Cem', { idle: true })], [], true),
      change('south', [who('Bo'), who('Ana', { viewing: ['7'] })], [], true),
    );
    expect(names(others(now, 'me', null))).toEqual(['Ana', 'Bo', 'Cem']);
    expect(names(others(now, 'me', 'north'))).toEqual(['Bo', 'Cem']);
    expect(names(others(now, 'me', 'unheard of'))).toEqual([]);
  });

  it('follows changes: people come, change and leave; a full list replaces', () => {
    const first = known(change('north', [who('Ana'), who('Bo')], [], true), change('north', [who('Cem')], ['ana']));
    expect(names(others(first, 'me', null))).toEqual(['Bo', 'Cem']);
    expect(names(others(withPresenceChange(first, change('north', [who('Dia')], [], true)), 'me', null))).toEqual([
      'Dia',
    ]);
  });

  it('clears a project the user has left, and one not named after a reconnect', () => {
    const now = known(change('north', [who('Ana')]), change('south', [who('Bo')]));
    expect(names(others(withoutProject(now, 'north'), 'me', null))).toEqual(['Bo']);
    expect(names(others(onlyProjects(now, ['north', 'west']), 'me', null))).toEqual(['Ana']);
  });
});

describe('who views what', () => {
  it('is grouped by item, in the order of names', () => {
    const now = known(change('north', [who('Bo', { viewing: ['7', '8'] }), who('Ana', { viewing: ['7'] })]));
    expect(names(viewersByItem(now).get('7') ?? [])).toEqual(['Ana', 'Bo']);
    expect(names(viewersByItem(now).get('8') ?? [])).toEqual(['Bo']);
    expect(viewersByItem(now).get('9')).toBeUndefined();
  });
});

describe('a holder is away', () => {
  const now = known(change('north', [who('Ana'), who('Bo', { idle: true })], [], true));

  it('when none of their tabs is open or none is in use', () => {
    expect([isAway(now, 'north', 'ana'), isAway(now, 'north', 'bo'), isAway(now, 'north', 'cem')]).toEqual([
      false,
      true,
      true,
    ]);
  });

  it('never while nothing is known of the project', () => {
    expect(isAway(now, 'south', 'ana')).toBe(false);
  });
});
