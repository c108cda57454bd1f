// Rules PM1 to PM3 as tables: each change of a role, what it must not do and what it ends.
import { describe, expect, it } from 'vitest';
import type { Role } from '@countersign/shared/words';
import { isRaise, leavesNoOwner, losesInvites, mayHold } from './pool.ts';

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
