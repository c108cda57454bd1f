// The life of an item: the moves of rule LC0 as a table written by hand, its deadlines, and what counts as an edit.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ITEM_STATUSES } from '@countersign/shared/enums';
import { isOverride, REVIEW_ACTIONS, type ReviewAction } from '@countersign/shared/review-actions';
import { claimPermission, dueAt, isOpen, moveFor, publicStatusOf, sameJson, undoUntil } from './item.ts';
import { TABLE } from './moves.fixture.ts';

describe('LC0: the moves', () => {
  const all = ITEM_STATUSES.flatMap((status) => REVIEW_ACTIONS.map((action) => [status, action] as const));

  it('are those of the table, and no action is without one', () => {
    const actions = Object.keys(TABLE).map((move) => move.split(' ')[1]);
    expect([...new Set(actions)].sort()).toEqual([...REVIEW_ACTIONS].sort());
  });

  it.each(all)('allows or refuses the move from %s by %s as the table says', (status, action) => {
    const move = moveFor({ status, audit: false }, action);
    expect(move && { ...move, override: isOverride(action) }).toEqual(TABLE[`${status} ${action}`]);
  });

  it.each(all)(
    'AU2: of an audited item, from %s, %s: a verdict does not change the approved output',
    (status, action) => {
      const move = moveFor({ status, audit: false }, action);
      const to = move?.decides ? 'auto_approved' : move?.to;
      expect(moveFor({ status, audit: true }, action)).toEqual(move && { ...move, to });
    },
  );

  it('rejects names of object prototype members as actions', () => {
    for (const name of ['constructor', 'toString', '__proto__']) {
      expect(moveFor({ status: 'queued', audit: false }, name as ReviewAction)?.to).toBeUndefined();
    }
  });

  it('wait for a person in two statuses only', () => {
    expect(ITEM_STATUSES.filter(isOpen)).toEqual(['queued', 'escalated']);
  });

  it('PM: an escalated item can be held by supervisors and owners, a queued one by anyone', () => {
    expect(claimPermission('queued')).toBe('decide_queued');
    expect(claimPermission('escalated')).toBe('decide_escalated');
  });
});

describe('LC2, AU2: the status that the pipeline sees', () => {
  it.each([
    [{ status: 'queued', audit: false, publicStatus: null }, 'queued'],
    [{ status: 'approved', audit: false, publicStatus: 'escalated' }, 'escalated'],
    [{ status: 'queued', audit: true, publicStatus: null }, 'auto_approved'],
    [{ status: 'auto_approved', audit: true, publicStatus: 'queued' }, 'auto_approved'],
  ] as const)('of %o is %s', (standing, seen) => {
    expect(publicStatusOf(standing)).toBe(seen);
  });
});

describe('LC2, LC3: the times', () => {
  const at = new Date('2026-03-28T23:59:59.999Z');

  it('LC2: a window of 0 makes a decision final immediately', () => {
    expect(undoUntil(at, 0)).toBeNull();
  });

  it.each([
    [1, '2026-03-29T00:00:00.999Z'],
    [5, '2026-03-29T00:00:04.999Z'],
    [30, '2026-03-29T00:00:29.999Z'],
  ])('LC2: a window of %i s', (seconds, until) => {
    expect(undoUntil(at, seconds)?.toISOString()).toBe(until);
  });

  it.each([
    [1, '2026-03-29T00:00:59.999Z'],
    [60, '2026-03-29T00:59:59.999Z'],
    [43_200, '2026-04-27T23:59:59.999Z'],
  ])('LC3: a target of %i min, across midnight and summer time', (minutes, due) => {
    expect(dueAt(at, minutes, null).toISOString()).toBe(due);
  });

  it.each([
    ['2026-03-29T00:30:00.000Z', '2026-03-29T00:30:00.000Z'],
    ['2026-03-29T00:59:59.998Z', '2026-03-29T00:59:59.998Z'],
    ['2026-03-29T01:00:00.000Z', '2026-03-29T00:59:59.999Z'],
  ])('LC3: with a deadline at %s a target of 60 min is due at %s', (deadline, due) => {
    expect(dueAt(at, 60, new Date(deadline)).toISOString()).toBe(due);
  });

  it('computing a time does not mutate the given one', () => {
    undoUntil(at, 5);
    dueAt(at, 60, null);
    expect(at.toISOString()).toBe('2026-03-28T23:59:59.999Z');
  });
});

const value = fc.jsonValue({ maxDepth: 4 });

/** The same value with the members of every object in the opposite order. */
function reordered(given: unknown): unknown {
  if (Array.isArray(given)) return given.map(reordered);
  if (given === null || typeof given !== 'object') return given;
  const entries = Object.entries(given).reverse();
  return Object.fromEntries(entries.map(([key, member]) => [key, reordered(member)]));
}

/** Every value that differs from `given` in one position. */
function changes(given: unknown): unknown[] {
  if (Array.isArray(given)) {
    const list = given as unknown[];
    const inside = list.flatMap((member, index) => changes(member).map((changed) => list.with(index, changed)));
    return [...inside, [...list, null], Object.fromEntries(list.entries())];
  }
  if (given !== null && typeof given === 'object') {
    const inside = Object.entries(given).flatMap(([key, member]) =>
      changes(member).map((changed) => ({ ...given, [key]: changed })),
    );
    return [...inside, { ...given, 'a member more': null }];
  }
  if (typeof given === 'string') return [`${given} `, null, [given]];
  if (typeof given === 'number') return [given + 1, String(given), null].filter((changed) => changed !== given);
  return [given === null ? false : null, !given, String(given)].filter((changed) => changed !== given);
}

describe('an edit must change the output', () => {
  it('by property: values parsed from one text are equal', () => {
    fc.assert(
      fc.property(value, (given) => {
        expect(sameJson(given, given)).toBe(true);
        expect(sameJson(given, JSON.parse(JSON.stringify(given)))).toBe(true);
      }),
    );
  });

  it('by property: the order of members does not matter', () => {
    fc.assert(
      fc.property(value, (given) => {
        expect(sameJson(given, reordered(given))).toBe(true);
      }),
    );
  });

  it('by property: a single change anywhere is detected, in both directions', () => {
    fc.assert(
      fc.property(value, fc.nat(), (given, pick) => {
        const all = changes(given);
        const changed = all[pick % all.length];
        expect(sameJson(given, changed)).toBe(false);
        expect(sameJson(changed, given)).toBe(false);
      }),
    );
  });

  it.each([
    ['the order of a list', [1, 2], [2, 1]],
    ['an empty list and an empty object', [], {}],
    ['a list and an object with its indices', ['a'], { 0: 'a' }],
    ['null and an empty object', null, {}],
    ['a number and its text', 1, '1'],
    ['false and 0', false, 0],
    ['a member that is null and a missing one', { a: null }, {}],
    ['two different keys', { a: 1 }, { b: 1 }],
    ['a key that every object inherits', { a: 1 }, { constructor: 1 }],
    ['composed and decomposed letters', 'caf\u00e9', 'cafe\u0301'],
  ])('an edit distinguishes %s', (_, left, right) => {
    expect(sameJson(left, right)).toBe(false);
    expect(sameJson(right, left)).toBe(false);
  });

  it('0 and -0 are equal, and members named like prototype members are compared like others', () => {
    expect(sameJson(0, -0)).toBe(true);
    const odd = '{"__proto__":{"a":1},"constructor":2}';
    expect(sameJson(JSON.parse(odd), JSON.parse(odd))).toBe(true);
    expect(sameJson(JSON.parse(odd), JSON.parse('{"constructor":2}'))).toBe(false);
    expect(sameJson(JSON.parse(odd), JSON.parse('{"__proto__":{"a":2},"constructor":2}'))).toBe(false);
  });
});
