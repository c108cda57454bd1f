// Rules PM1 to PM3 as tables: each change of a role, what it must not do and what it ends; and LC4, how much one may hold.
import { describe, expect, it } from 'vitest';
import type { Role } from '@countersign/shared/enums';
import { isRaise, leavesNoOwner, losesInvites, mayHold, mayHoldOneMore, memberAbilities } from './pool.ts';

const OUT = null;

/** From, to, then what it does: it raises, leaves no owner (of one), loses the invites. */
const CHANGES: [Role | null, Role | null, [boolean, boolean, boolean]][] = [
  [OUT, OUT, [false, false, false]],
  [OUT, 'reviewer', [true, false, false]],
  [OUT, 'supervisor', [true, false, false]],
  [OUT, 'owner', [true, false, false]],
  ['reviewer', OUT, [false, false, false]],
  ['reviewer', 'reviewer', [false, false, false]],
  ['reviewer', 'supervisor', [true, false, false]],
  ['reviewer', 'owner', [true, false, false]],
  ['supervisor', OUT, [false, false, false]],
  ['supervisor', 'reviewer', [false, false, false]],
  ['supervisor', 'supervisor', [false, false, false]],
  ['supervisor', 'owner', [true, false, false]],
  ['owner', OUT, [false, true, true]],
  ['owner', 'reviewer', [false, true, true]],
  ['owner', 'supervisor', [false, true, true]],
  ['owner', 'owner', [false, false, false]],
];

describe.each(CHANGES)('a change from %s to %s', (from, to, [raises, noOwner, invites]) => {
  it('PM1: leaves a project with one owner without any, or does not', () => {
    expect(leavesNoOwner({ from, to }, 1)).toBe(noOwner);
  });

  it('PM1: may be made while there is a second owner', () => {
    expect(leavesNoOwner({ from, to }, 2)).toBe(false);
  });

  it('PM3: is a raise, or not; ends the invites one has made, or does not', () => {
    expect([isRaise({ from, to }), losesInvites({ from, to })]).toEqual([raises, invites]);
  });
});

it.each<[Role | null, string[]]>([
  [OUT, []],
  ['reviewer', ['queued']],
  ['supervisor', ['queued', 'escalated']],
  ['owner', ['queued', 'escalated']],
])('PM2: %s may hold items that are %j', (role, statuses) => expect(mayHold(role)).toEqual(statuses));

describe('PM: what may be done to a member', () => {
  const olga = { userId: 'olga', role: 'owner' as const };
  const otto = { userId: 'otto', role: 'owner' as const };
  const anna = { userId: 'anna', role: 'reviewer' as const };
  const sam = { userId: 'sam', role: 'supervisor' as const };
  const all = { change_role: true, rename: true, remove: true };
  const none = { change_role: false, rename: false, remove: false };

  it('PM4: an owner changes and removes others, and names nobody but themself', () => {
    const seen = (member: typeof olga | typeof anna | typeof sam) =>
      memberAbilities({ viewer: olga, member, owners: 2, archived: false });
    const others = { ...all, rename: false };
    expect([anna, sam, otto, olga].map(seen)).toEqual([others, others, others, all]);
  });

  it('PM1: nothing ends the last owner, who may still take a name', () => {
    expect(memberAbilities({ viewer: olga, member: olga, owners: 1, archived: false })).toEqual({
      ...none,
      rename: true,
    });
  });

  it('AR1: in an archived project people may still go, but no role changes', () => {
    const seen = memberAbilities({ viewer: olga, member: anna, owners: 2, archived: true });
    expect(seen).toEqual({ change_role: false, rename: false, remove: true });
  });

  it('everybody else may leave and name themselves, and nothing more', () => {
    const seen = (member: typeof olga | typeof anna | typeof sam) =>
      memberAbilities({ viewer: anna, member, owners: 2, archived: false });
    expect([anna, sam, otto].map(seen)).toEqual([{ ...all, change_role: false }, none, none]);
  });
});

describe('LC4: how many items one person holds', () => {
  it.each([
    [0, true],
    [1, true],
    [2, true],
    [3, false],
    [100, false],
  ])('who holds %i may take another one: %s', (held, may) => {
    expect(mayHoldOneMore(held)).toBe(may);
  });
});
