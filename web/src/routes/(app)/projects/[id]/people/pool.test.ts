// The role comparison behind the pool page's confirmations.
import { expect, it } from 'vitest';
import { isLower } from './pool.ts';

it('a role is lower than those above it', () => {
  expect(isLower('owner', 'supervisor')).toBe(true);
  expect(isLower('supervisor', 'owner')).toBe(false);
  expect(isLower('reviewer', 'reviewer')).toBe(false);
});
