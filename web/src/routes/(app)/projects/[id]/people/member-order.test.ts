// Tests how a large pool is searched and sorted.
import type { Member } from '@countersign/shared/schemas/projects';
import { expect, it } from 'vitest';
import { activeDays, busiestHours, rateOf } from './person/person-figures.ts';
import { inOrder, membersFor, type MemberOrder } from './member-order.ts';

const member = (name: string | null, role: Member['role'], holding: number) =>
  ({ user_id: String(name), address: `addr-${String(name)}-7xKX`, name, role, holding }) as Member;
const POOL = [
  member('Olga Petrova', 'owner', 0),
  member('Marek Dvořák', 'reviewer', 2),
  member('Ana Ruiz', 'supervisor', 2),
  member('Zoë Lund', 'reviewer', 0),
];
const names = (of: readonly Member[]) => of.map(({ name }) => name?.split(' ')[0]);

it.each<[MemberOrder, string[]]>([
  ['joined', ['Olga', 'Marek', 'Ana', 'Zoë']],
  ['name', ['Ana', 'Marek', 'Olga', 'Zoë']],
  ['role', ['Olga', 'Ana', 'Marek', 'Zoë']],
  ['holding', ['Ana', 'Marek', 'Olga', 'Zoë']],
])('sorts members by %s', (order, expected) => {
  expect(names(inOrder(POOL, order))).toEqual(expected);
});

it.each([
  ['', 4],
  ['  ', 4],
  ['dvorak', 1],
  ['ZOE lund', 1],
  ['7xkx', 4],
  ['nobody', 0],
])('finds members by name and address: "%s"', (search, found) => {
  expect(membersFor(POOL, search)).toHaveLength(found);
});

it('shows a share with its interval, and the share that agreed from the other end', () => {
  const judged = { decided: 10, overridden: 2, interval: { low: 0.1, high: 0.4 } };
  expect(rateOf(judged)).toEqual({ value: '20%', detail: '95%: 10% to 40% · n 10' });
  expect(rateOf(judged, true)).toEqual({ value: '80%', detail: '95%: 60% to 90% · n 10' });
  expect(rateOf({ decided: 0, overridden: 0, interval: null })).toEqual({ value: '—', detail: 'no decision yet' });
});

it('finds the busiest hours, also over midnight, and counts the days with decisions', () => {
  const hours = Array.from({ length: 24 }, (_, hour) => ({ 23: 5, 0: 4, 1: 3, 12: 8 })[hour] ?? 0);
  expect(busiestHours(hours, 3)).toBe(23);
  expect(busiestHours(new Array<number>(24).fill(0), 3)).toBeNull();
  const day = (decided: number) => ({ at: '2026-11-20T00:00:00.000Z', decided, overridden: 0 });
  expect(activeDays([day(0), day(3), day(5)])).toEqual({ days: 2, each: 4 });
  expect(activeDays([day(0)])).toEqual({ days: 0, each: 0 });
});
