// Tests the order of roles.
import { expect, it } from 'vitest';
import { isLowerRole } from './enums.ts';

it('compares roles by what they permit', () => {
  expect(isLowerRole('supervisor', 'owner')).toBe(true);
  expect(isLowerRole('owner', 'supervisor')).toBe(false);
  expect(isLowerRole('reviewer', 'reviewer')).toBe(false);
});
