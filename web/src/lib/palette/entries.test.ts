// Tests the results of the palette: every word must match, word starts count more, recent entries come first.
import { describe, expect, it } from 'vitest';
import { findEntries, usedNow, type PaletteEntry } from './entries.ts';

const entry = (id: string, group: PaletteEntry['group'], words: string[], rare?: true): PaletteEntry => ({
  id,
  group,
  words,
  ...(rare ? { rare } : {}),
  run: () => undefined,
});
const ENTRIES = [
  entry('approve', 'here', ['Approve']),
  entry('queue', 'go', ['Queue']),
  entry('p1', 'projects', ['', 'Überweisung prüfen']),
  entry('q1', 'projects', ['Queue of ', 'Überweisung prüfen']),
  entry('t1', 'projects', ['', 'Überweisung prüfen', ' · Rules'], true),
  entry('dark', 'you', ['Dark theme']),
];
const ids = (search: string, recent: string[] = []) => findEntries(ENTRIES, search, recent).map(({ id }) => id);

describe('palette', () => {
  it('shows everything except numerous entries before a search', () => {
    expect(ids('')).toEqual(['approve', 'queue', 'p1', 'q1', 'dark']);
  });

  it.each([
    ['queue', ['queue', 'q1']],
    ['QUE uber', ['q1']],
    ['uberweisung', ['p1', 't1', 'q1']],
    ['rules', ['t1']],
    ['pruf rul', ['t1']],
    ['theme', ['dark']],
    ['nothing of it', []],
  ])('the palette finds %s', (search, found) => {
    expect(ids(search)).toEqual(found);
  });

  it('lists recently used entries first, as far as they exist', () => {
    expect(ids('', ['dark', 'gone', 'p1'])).toEqual([
      'recent dark',
      'recent p1',
      'approve',
      'queue',
      'p1',
      'q1',
      'dark',
    ]);
    expect(usedNow('recent p1', ['dark', 'p1'])).toEqual(['p1', 'dark']);
    expect(usedNow('f', ['a', 'b', 'c', 'd', 'e'])).toEqual(['f', 'a', 'b', 'c', 'd']);
  });

  it('stays readable with a thousand projects', () => {
    const many = Array.from({ length: 1000 }, (_, at) => entry(String(at), 'projects', ['', `Project ${at}`]));
    expect(findEntries(many, 'project', []).length).toBe(60);
  });
});
