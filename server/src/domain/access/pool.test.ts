// Rules PM1 to PM3 as tables: what each change of a role must not do and what it ends; and LC4, the claim limit.
import { describe, expect, it } from 'vitest';
import type { Role } from '@countersign/shared/enums';
import { isRaise, leavesNoOwner, losesInvites, mayHold, mayHoldOneMore, memberAbilities } from './pool.ts';

const OUT = null;

/** From, to, then whether it is a raise, leaves no owner (of one), ends the invites. */
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
  it('PM1: leaves a project with one owner without any, as the table says', () => {
    expect(leavesNoOwner({ userId: 'olga', from, to }, ['olga'])).toBe(noOwner);
  });

  it('A20: leaves it without any too where nobody is left who is not blocked', () => {
    expect(leavesNoOwner({ userId: 'olga', from, to }, [])).toBe(noOwner);
  });

  it('PM1: is allowed for an owner while there is a second one', () => {
    expect(leavesNoOwner({ userId: 'olga', from, to }, ['olga', 'otto'])).toBe(false);
    expect(leavesNoOwner({ userId: 'olga', from, to }, ['otto'])).toBe(false);
  });

  it('PM3: counts as a raise, and ends the invites that the member made, where the table says so', () => {
    expect([isRaise({ from, to }), losesInvites({ from, to })]).toEqual([raises, invites]);
  });
});

it.each<[Role | null, string[]]>([
  [OUT, []],
  ['reviewer', ['queued']],
  ['supervisor', ['queued', 'escalated']],
  ['owner', ['queued', 'escalated']],
])('PM2: %s may hold items that are %j', (role, statuses) => expect(mayHold(role)).toEqual(statuses));

describe('PM: the abilities on a member', () => {
  const olga = { userId: 'olga', role: 'owner' as const };
  const otto = { userId: 'otto', role: 'owner' as const };
  const anna = { userId: 'anna', role: 'reviewer' as const };
  const sam = { userId: 'sam', role: 'supervisor' as const };
  const all = { change_role: true, rename: true, remove: true };
  const none = { change_role: false, rename: false, remove: false };

  it('PM4: an owner may change and remove others, and rename only themself', () => {
    const seen = (member: typeof olga | typeof anna | typeof sam) =>
      memberAbilities({ viewer: olga, member, owners: ['olga', 'otto'], archived: false });
    const others = { ...all, rename: false };
    expect([anna, sam, otto, olga].map(seen)).toEqual([others, others, others, all]);
  });

  it('PM1: the last owner can be neither removed nor changed, and may still rename themself', () => {
    expect(memberAbilities({ viewer: olga, member: olga, owners: ['olga'], archived: false })).toEqual({
      ...none,
      rename: true,
    });
  });

  it('A20: an owner who is not blocked may change and remove one who is, but not leave them alone', () => {
    const seen = (member: typeof olga) => memberAbilities({ viewer: olga, member, owners: ['olga'], archived: false });
    expect([otto, olga].map(seen)).toEqual([
      { ...all, rename: false },
      { ...none, rename: true },
    ]);
  });

  it('AR1: in an archived project people may leave, but no role changes', () => {
    const seen = memberAbilities({ viewer: olga, member: anna, owners: ['olga', 'otto'], archived: true });
    expect(seen).toEqual({ change_role: false, rename: false, remove: true });
  });

  it('PM: everybody else may leave and rename themself, and nothing more', () => {
    const seen = (member: typeof olga | typeof anna | typeof sam) =>
      memberAbilities({ viewer: anna, member, owners: ['olga', 'otto'], archived: false });
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
  ])('a person who holds %i may claim another one: %s', (held, may) => {
    expect(mayHoldOneMore(held)).toBe(may);
  });
});
