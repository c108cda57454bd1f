// @vitest-environment happy-dom
// After something is removed from a list of a project, the focus is at the heading of that list.
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { DEFAULT_SETTINGS } from '@countersign/shared/settings';
import type { Invite } from '@countersign/shared/schemas/invites';
import type { Offer } from '@countersign/shared/schemas/offers';
import type { Member, Project } from '@countersign/shared/schemas/projects';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import Keys from './keys/Keys.svelte';
import Notifications from './notifications/Notifications.svelte';
import Invites from './people/Invites.svelte';
import Members from './people/Members.svelte';
import Offers from './people/Offers.svelte';
import { SettingsForm } from './settings/settings-form.svelte.ts';

vi.mock('$app/navigation', () => ({ goto: vi.fn() }));
vi.mock('$app/paths', () => ({ resolve: (path: string) => path }));

const ID = '0198c2f0-7a10-7c3e-9f6b-2d4e6a8c0b11';
const abilities = { revoke: true, remove: true, change_role: true, rename: false };
const person = { user_id: 'u1', address: '4Nd1mYQzvgJzTfhNhZBrtV7jT9kP3m7YvC6yWb8qLxRs', name: 'Ana' };
const open = { address: null, role: 'reviewer', abilities, expires_at: '2999-01-01T00:00:00.000Z' };
const INVITE = { ...open, id: 'one', created_by: null } as unknown as Invite;
const OFFER = { ...open, ...person, id: 'one', offered_by: null } as unknown as Offer;
const made = { id: 'one', name: 'nightly', created_at: '2026-03-02T09:50:00.000Z', last_used_at: null, abilities };
const channel = { kind: 'slack', url: 'https://hooks.slack.com/services/T000/B000/secret9fQx', rules: [] };
const project = {
  ...{ ...DEFAULT_SETTINGS, id: ID, settings_version: 1, notifications: [channel], archived_at: null },
  abilities: { manage_keys: true, change_settings: true, manage_webhook: true },
} as unknown as Project;

/** What the server has not removed yet. */
let kept: boolean;
const answers: [RegExp, () => unknown][] = [
  [/\/api-keys/, () => ({ data: [{ ...made, last4: 'a1b2', scopes: ['read'], ...until, revoked_at: gone() }] })],
  [
    /\/inbound-sources/,
    () => ({ data: kept ? [{ ...made, url: 'https://here.example/api/public/inbound/one' }] : [] }),
  ],
  [/\/notifications/, () => ({ data: [], next_cursor: null })],
  [/./, () => ({ ...project, notifications: kept ? [channel] : [] })],
];
const until = { created_by: null, expires_at: null };
const gone = () => (kept ? null : '2026-03-02T09:50:00.000Z');

beforeEach(() => {
  kept = true;
  document.body.insertAdjacentHTML(
    'beforeend',
    ['invites', 'offers', 'pool'].map((id) => `<h2 id="${id}" tabindex="-1"></h2>`).join(''),
  );
  vi.stubGlobal('fetch', (path: string, { method }: RequestInit) => {
    if (method === 'DELETE' || method === 'PATCH') kept = false;
    if (method === 'DELETE') return Promise.resolve(new Response(null, { status: 204 }));
    return Promise.resolve(Response.json(answers.find(([of]) => of.test(path))?.[1]()));
  });
});
afterEach(() => {
  cleanup();
  document.body.replaceChildren();
  vi.unstubAllGlobals();
});

const at = () => document.activeElement?.id;

it('of an invite that is revoked', async () => {
  const view = render(Invites, {
    ...{ invites: [INVITE], projectId: ID },
    onrevoked: (): Promise<void> => view.rerender({ invites: [] }),
  });
  screen.getByRole('button').focus();
  await fireEvent.click(screen.getByRole('button'));
  await vi.waitFor(() => expect(at()).toBe('invites'));
});

it('of an offer that is revoked', async () => {
  const view = render(Offers, {
    ...{ offers: [OFFER], projectId: ID },
    ...{ members: [], more: false, onmore: () => undefined },
    onrevoked: (): Promise<void> => view.rerender({ offers: [] }),
  });
  screen.getByRole('button').focus();
  await fireEvent.click(screen.getByRole('button'));
  await vi.waitFor(() => expect(at()).toBe('offers'));
});

describe('after a question', () => {
  /** Presses the button with this name, and the one that confirms it. */
  async function confirm(name: string | RegExp, answer: string) {
    const button = await screen.findByRole('button', { name });
    button.focus();
    await fireEvent.click(button);
    await screen.findByRole('dialog');
    await fireEvent.click(screen.getAllByRole('button', { name: answer }).at(-1)!);
    await vi.waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await vi.waitFor(() => expect(screen.queryByRole('button', { name })).toBeNull());
  }

  it('of a member who is removed', async () => {
    const view = render(Members, {
      ...{ members: [{ ...person, role: 'reviewer', holding: 0, abilities } as Member], offers: [], projectId: ID },
      ...{ userId: 'me', seesAll: false, onleft: () => undefined },
      onchanged: (): Promise<void> => view.rerender({ members: [] }),
    });
    await confirm('Remove Ana', 'Remove');
    await vi.waitFor(() => expect(at()).toBe('pool'));
  });

  it('of an API key that is revoked', async () => {
    render(Keys, { form: new SettingsForm(project, 'me') });
    await confirm('Revoke nightly', 'Revoke');
    await vi.waitFor(() => expect(at()).toBe('keys'));
  });

  it('of a source that is removed', async () => {
    render(Keys, { form: new SettingsForm(project, 'me') });
    await confirm('Remove nightly', 'Remove');
    await vi.waitFor(() => expect(at()).toBe('sources'));
  });

  it('of a notification channel that is removed', async () => {
    render(Notifications, { form: new SettingsForm(project, 'me') });
    await confirm(/^Remove Slack/, 'Remove');
    await vi.waitFor(() => expect(at()).toBe('notifications'));
  });
});
