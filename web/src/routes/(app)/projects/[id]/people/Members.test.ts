// @vitest-environment happy-dom
// The members' list: with every message it shows the role in force (PM8), and it says what a late answer has done.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { setImmediate } from 'node:timers/promises';
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

let answer: (url: string) => Response | Promise<Response>;
let reloads = 0;
beforeEach(() => {
  reloads = 0;
  vi.stubGlobal('fetch', (url: string) => Promise.resolve(answer(url)));
  render(Members, {
    members: [MEMBER],
    offers: [],
    projectId: '0198c2f0-7a10-7c3e-9f6b-2d4e6a8c0b11',
    userId: 'me',
    seesAll: false,
    onleft: () => undefined,
    // The list loads slowly.
    onchanged: () => {
      reloads += 1;
      return new Promise<void>(() => undefined);
    },
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

describe('the question whether to remove a member', () => {
  const KEY = { id: 'k1', name: 'nightly', last4: 'a1b2', created_by: MEMBER, revoked_at: null, expires_at: null };
  let keys: PromiseWithResolvers<Response>;
  let removal: PromiseWithResolvers<Response>;
  const reasons: unknown[] = [];
  const note = (reason: unknown) => reasons.push(reason);

  beforeEach(async () => {
    reasons.length = 0;
    process.on('unhandledRejection', note);
    [keys, removal] = [Promise.withResolvers(), Promise.withResolvers()];
    answer = (url) => (url.includes('keys') ? keys : removal).promise;
    await fireEvent.click(screen.getByRole('button', { name: 'Remove Ana' }));
    await fireEvent.click(await screen.findByRole('button', { name: 'Remove' }));
  });
  afterEach(() => void process.off('unhandledRejection', note));

  const removed = () => removal.resolve(new Response(null, { status: 204 }));

  it('leaves no error behind when the keys of the member come after the removal', async () => {
    removed();
    await screen.findByText('Removed Ana.');
    keys.resolve(Response.json({ data: [KEY] }));
    await setImmediate();
    expect(reasons).toEqual([]);
  });

  it('stays open on Escape and Close until the removal is answered, and says what was done', async () => {
    await fireEvent.keyDown(screen.getByRole('dialog'), { key: 'Escape' });
    await fireEvent.click(screen.getByRole('button', { name: 'Close' }));
    removed();
    await screen.findByText('Removed Ana.');
    await vi.waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(reloads).toBe(1);
  });
});
