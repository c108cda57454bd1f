// Tests the order of roles, which decides whether a change of role is confirmed first.
import { expect, it } from 'vitest';
import { isLower } from './enums.ts';

it('a role is lower than those above it', () => {
  expect(isLower('owner', 'supervisor')).toBe(true);
  expect(isLower('supervisor', 'owner')).toBe(false);
  expect(isLower('reviewer', 'reviewer')).toBe(false);
});
