// Sorting, filtering and a stable order, as pure functions.
import type { Project } from '@countersign/shared/schemas/projects';
import { describe, expect, it } from 'vitest';
import { addressOf, ageState, clicked, COLUMNS, matching, settled, sortedIds, sortOf, type Sort } from './table.ts';

type ProjectSummary = Project['summary'];

const row = (id: string, summary: Partial<ProjectSummary> = {}, name = id) => ({
  id,
  name,
  summary: {
    queued: 0,
    escalated: 0,
    oldest_at: null,
    reviewer_count: 0,
    decided_today: 0,
    overridden_today: 0,
    expired_today: 0,
    webhook: 'not_set',
    ...summary,
  } as ProjectSummary,
});

describe('sortedIds', () => {
  const early = '2026-03-01T08:00:00.000Z';
  const late = '2026-03-01T09:00:00.000Z';
  const rows = [
    row(
      'b',
      { queued: 2, oldest_at: late, reviewer_count: 1, decided_today: 10, overridden_today: 5, webhook: 'healthy' },
      'Émile',
    ),
    row(
      'a',
      { queued: 1, escalated: 11, oldest_at: null, reviewer_count: 0, decided_today: 0, webhook: 'failing' },
      'zebra 10',
    ),
    row(
      'c',
      {
        queued: 2,
        oldest_at: early,
        reviewer_count: 3,
        decided_today: 40,
        overridden_today: 8,
        expired_today: 2,
        webhook: 'paused',
      },
      'Zebra 9',
    ),
  ];

  it.each<[string, string]>([
    ['name', 'bca'],
    ['-name', 'acb'],
    ['waiting', 'bca'],
    ['-waiting', 'abc'],
    ['oldest', 'cba'],
    ['-oldest', 'bca'],
    ['-reviewing', 'cba'],
    ['-decided', 'cba'],
    // A share, not a count; without decisions there is none, and that stays last.
    ['-overridden', 'bca'],
    ['overridden', 'cba'],
    ['-expired', 'cba'],
    ['webhook', 'acb'],
  ])('sorts by %s: %s', (asked, expected) => {
    expect(sortedIds(rows, sortOf(asked)).join('')).toBe(expected);
  });

  it('leaves the list as received without a sort', () => {
    expect(sortedIds(rows, sortOf(null))).toEqual(['b', 'a', 'c']);
    expect(sortOf('colour')).toBeNull();
  });
});

describe('a click on a head', () => {
  it('begins with the usual direction, then reverses', () => {
    const starts = COLUMNS.map((column) => clicked(column, null)).filter(({ descending }) => descending);
    expect(starts.map(({ by }) => by)).toEqual(['waiting', 'reviewing', 'decided', 'overridden', 'expired']);
    const once = clicked('waiting', null);
    expect(clicked('waiting', once)).toEqual({ by: 'waiting', descending: false });
    expect(clicked('name', once)).toEqual({ by: 'name', descending: false });
  });

  it('is in the URL, and read back from it', () => {
    const sort: Sort = { by: 'waiting', descending: true };
    expect(addressOf(sort, 'support é')).toBe('?q=support+%C3%A9&sort=-waiting');
    expect(sortOf('-waiting')).toEqual(sort);
    expect(addressOf(null, '')).toBe('');
  });
});

describe('settled', () => {
  it('leaves every row in place, when its figures change', () => {
    const before = [row('a', { queued: 9 }), row('b', { queued: 5 })];
    const order = sortedIds(before, { by: 'waiting', descending: true });
    const after = [row('a', { queued: 0 }), row('b', { queued: 50 })];
    expect(settled(order, after)).toEqual(['a', 'b']);
  });

  it('removes deleted projects and puts new ones last', () => {
    expect(settled(['c', 'a', 'b'], [row('new'), row('a'), row('c')])).toEqual(['c', 'a', 'new']);
  });
});

describe('matching', () => {
  it.each<[string, string[]]>([
    ['', ['Support réplies', 'Maths answers']],
    ['REPL', ['Support réplies']],
    ['replies support', ['Support réplies']],
    [' maths ', ['Maths answers']],
    ['other', []],
  ])('the filter “%s” finds the matching projects', (filter, expected) => {
    const rows = [row('1', {}, 'Support réplies'), row('2', {}, 'Maths answers')];
    expect(matching(rows, filter).map(({ name }) => name)).toEqual(expected);
  });
});

describe('ageState', () => {
  it.each([
    [50.9, 'fine'],
    [51, 'due'],
    [59.9, 'due'],
    [60, 'past'],
  ])('after %s of 60 minutes: %s', (minutes, state) => {
    expect(ageState(minutes * 60_000, 60)).toBe(state);
  });
});
