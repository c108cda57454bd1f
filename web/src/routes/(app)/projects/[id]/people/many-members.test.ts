// @vitest-environment happy-dom
// A long list of members: its first 60 rows render at once, the others in steps, and a search looks through all.
import type { Member } from '@countersign/shared/schemas/projects';
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import Members from './Members.svelte';

vi.mock('$app/navigation', () => ({ goto: vi.fn() }));
vi.mock('$app/paths', () => ({ resolve: (path: string) => path }));

const MANY = 130;
const FIRST = 60;
const shown = () => screen.getAllByRole('rowheader').length;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const members = Array.from({ length: MANY }, (_, n): Member => {
    const abilities = { change_role: false, remove: false, rename: false };
    return { user_id: `u${n}`, address: `address-${n}`, name: `Person ${n}`, role: 'reviewer', holding: 0, abilities };
  });
  const done = { onleft: () => undefined, onchanged: () => Promise.resolve() };
  const where = { offers: [], projectId: 'p', userId: 'u0', seesAll: false };
  render(Members, { members, ...where, ...done });
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

it('renders 60 members first, and then all of them', async () => {
  expect(shown()).toBe(FIRST);
  await vi.runAllTimersAsync();
  expect(shown()).toBe(MANY);
});

it('finds a member whose row is not rendered yet', async () => {
  await fireEvent.input(screen.getByRole('searchbox'), { target: { value: 'Person 129' } });
  expect(shown()).toBe(1);
});
