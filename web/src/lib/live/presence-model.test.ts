// Presence in the page: what the server tells becomes who is online, who looks at what, and who is away.
import { describe, expect, it } from 'vitest';
import type { Present, PresenceChange } from '@countersign/shared/sockets';
import { isAway, knownAfter, knownOf, knownWithout, lookersOf, NOTHING, others } from './presence-model.ts';

const who = (name: string, more: Partial<Present> = {}): Present => ({
  user_id: name.toLowerCase(),
  name,
  idle: false,
  looks_at: [],
  ...more,
});
const told = (project: string, here: Present[], left: string[] = [], whole = false): PresenceChange => ({
  project_id: project,
  whole,
  here,
  left,
});
const known = (...changes: PresenceChange[]) => changes.reduce(knownAfter, NOTHING);
const names = (people: readonly Present[]) => people.map(({ name }) => name);

describe('who is online', () => {
  it('is everybody else, each once over all projects, whoever is at work first, then by name', () => {
    const now = known(
      told('north', [who('Me'), who('Bo', { idle: true }), who('Cem', { idle: true })], [], true),
      told('south', [who('Bo'), who('Ana', { looks_at: ['7'] })], [], true),
    );
    expect(names(others(now, 'me', null))).toEqual(['Ana', 'Bo', 'Cem']);
    expect(names(others(now, 'me', 'north'))).toEqual(['Bo', 'Cem']);
    expect(names(others(now, 'me', 'unheard of'))).toEqual([]);
  });

  it('follows what is told: who comes, changes, leaves; what is whole replaces', () => {
    const first = known(told('north', [who('Ana'), who('Bo')], [], true), told('north', [who('Cem')], ['ana']));
    expect(names(others(first, 'me', null))).toEqual(['Bo', 'Cem']);
    expect(names(others(knownAfter(first, told('north', [who('Dia')], [], true)), 'me', null))).toEqual(['Dia']);
  });

  it('is forgotten of a project the reader has left, and of what is not named after a reconnect', () => {
    const now = known(told('north', [who('Ana')]), told('south', [who('Bo')]));
    expect(names(others(knownWithout(now, 'north'), 'me', null))).toEqual(['Bo']);
    expect(names(others(knownOf(now, ['north', 'west']), 'me', null))).toEqual(['Ana']);
  });
});

describe('who looks at what', () => {
  it('is known by item, in the order of names', () => {
    const now = known(told('north', [who('Bo', { looks_at: ['7', '8'] }), who('Ana', { looks_at: ['7'] })]));
    expect(names(lookersOf(now).get('7') ?? [])).toEqual(['Ana', 'Bo']);
    expect(names(lookersOf(now).get('8') ?? [])).toEqual(['Bo']);
    expect(lookersOf(now).get('9')).toBeUndefined();
  });
});

describe('a holder is away', () => {
  const now = known(told('north', [who('Ana'), who('Bo', { idle: true })], [], true));

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
