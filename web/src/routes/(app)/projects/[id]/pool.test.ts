// What the pool offers for each member, by who looks.
import { describe, expect, it } from 'vitest';
import type { Member } from '@countersign/shared/api/projects';
import type { Role } from '@countersign/shared/words';
import { isLower, seatVerbs } from './pool.ts';

const aMember = (id: string, role: Role, name: string | null = id): Member => ({
  user_id: id,
  address: id,
  name,
  role,
});
const olga = aMember('olga', 'owner');
const otto = aMember('otto', 'owner');
const anna = aMember('anna', 'reviewer');
const nameless = aMember('nn', 'reviewer', null);

describe('PM: the verbs for a member', () => {
  it('an owner changes and removes others, and names who has no name', () => {
    const verbs = (member: Member) =>
      seatVerbs(member, [olga, otto, anna, nameless], { userId: 'olga', manages: true });
    expect(verbs(anna)).toEqual({ changeRole: true, remove: 'remove', rename: false });
    expect(verbs(nameless)).toEqual({ changeRole: true, remove: 'remove', rename: true });
    expect(verbs(otto)).toEqual({ changeRole: true, remove: 'remove', rename: false });
    expect(verbs(olga)).toEqual({ changeRole: true, remove: 'leave', rename: true });
  });

  it('PM1: nothing ends the last owner', () => {
    const verbs = seatVerbs(olga, [olga, anna], { userId: 'olga', manages: true });
    expect(verbs).toEqual({ changeRole: false, remove: null, rename: true });
  });

  it('everybody else may leave and name themselves, and nothing more', () => {
    const verbs = (member: Member) => seatVerbs(member, [olga, anna, nameless], { userId: 'anna', manages: false });
    expect(verbs(anna)).toEqual({ changeRole: false, remove: 'leave', rename: true });
    for (const other of [olga, nameless])
      expect(verbs(other)).toEqual({ changeRole: false, remove: null, rename: false });
  });
});

it('a role is lower than those above it', () => {
  expect(isLower('owner', 'supervisor')).toBe(true);
  expect(isLower('supervisor', 'owner')).toBe(false);
  expect(isLower('reviewer', 'reviewer')).toBe(false);
});
