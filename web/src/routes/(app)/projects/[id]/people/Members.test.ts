// @vitest-environment happy-dom
// PM8 in the page: beside a message that a member is asked, or that nothing changed, the list shows their present role.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import type { Member } from '@countersign/shared/schemas/projects';
import Members from './Members.svelte';

vi.mock('$app/navigation', () => ({ goto: vi.fn() }));
vi.mock('$app/paths', () => ({ resolve: (path: string) => path }));

const MEMBER = {
  user_id: '0198c2f0-7a10-7c3e-9f6b-2d4e6a8c0b12',
  address: '4Nd1mYQzvgJzTfhNhZBrtV7jT9kP3m7YvC6yWb8qLxRs',
  name: 'Ana',
  role: 'reviewer',
  holding: 0,
  abilities: { change_role: true, remove: true, rename: false },
} as Member;

let answer: () => Response;
beforeEach(() => {
  vi.stubGlobal('fetch', () => Promise.resolve(answer()));
  render(Members, {
    members: [MEMBER],
    offers: [],
    projectId: '0198c2f0-7a10-7c3e-9f6b-2d4e6a8c0b11',
    userId: 'me',
    seesAll: false,
    onleft: () => undefined,
    // The list loads slowly.
    onchanged: () => new Promise<void>(() => undefined),
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const role = () => screen.getByRole<HTMLSelectElement>('combobox');

it.each([
  ['was asked to become an owner', () => Response.json({ kind: 'offer', ...MEMBER }), 'reviewer'],
  ['Ana is now an owner.', () => Response.json({ kind: 'member', ...MEMBER, role: 'owner' }), 'owner'],
  [
    'The change was not saved',
    () =>
      Response.json({ title: 'No', status: 403, detail: 'No.', code: 'forbidden', request_id: 'r' }, { status: 403 }),
    'reviewer',
  ],
])('PM8: with "%s" the list shows the role in force', async (said, answers, inForce) => {
  answer = answers;
  const select = role();
  // The test's browser does not support `:checked`, which is the only selector used.
  vi.spyOn(select, 'querySelector').mockImplementation(() => select.options[select.selectedIndex] ?? null);
  await fireEvent.change(role(), { target: { value: 'owner' } });
  expect(role().value).toBe('owner');
  await screen.findByText(new RegExp(said));
  expect(role().value).toBe(inForce);
});
