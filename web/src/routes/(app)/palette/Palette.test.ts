// @vitest-environment happy-dom
// The palette in use: typing, arrows, Enter, Escape; recently used entries come first.
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { listenToKeys } from '#lib/keys/key-listener.svelte.ts';
import { session } from '#lib/auth/session.svelte.ts';
import { keySettings } from '#lib/keys/key-settings.svelte.ts';
import { panels } from '#lib/keys/panels.svelte.ts';
import type { Command } from '#lib/keys/command.ts';
import { projects } from '#lib/api/projects-store.svelte.ts';
import type { Project } from '@countersign/shared/schemas/projects';
import Palette from './Palette.svelte';
import { PAUSE_MS } from './remote-search.svelte.ts';

const goto = vi.fn();

let ran: Command[];
let able: readonly Command[];
let stops: (() => void)[];
beforeEach(() => {
  localStorage.clear();
  goto.mockClear();
  ran = [];
  able = ['approve', 'extend'];
  stops = [
    keySettings.follow('ana'),
    listenToKeys({
      situation: () => ({ scopes: ['anywhere', 'item'], pending: false, actionsEnabled: true }),
      can: (command) => able.includes(command),
      run: (command) => ran.push(command) > 0,
    }),
  ];
});
afterEach(() => {
  stops.forEach((stop) => stop());
  cleanup();
});

const open = () => render(Palette, { open: true, user: 'ana', to: goto });
const field = () => screen.getByRole('combobox');
const names = () => screen.getAllByRole('option').map((option) => option.textContent?.replace(/\s+/g, ' ').trim());
const type = (value: string) => fireEvent.input(field(), { target: { value } });
const press = (key: string, more = {}) => fireEvent.keyDown(field(), { key, ...more });
const chosen = () => document.querySelector('[role=option][aria-selected=true]')?.textContent?.trim();

it('contains the available commands and omits the others, with the present keys', async () => {
  keySettings.change('approve', 'h');
  open();
  const shown = names();
  expect(shown[0]).toBe('Approve H');
  expect(shown).toContain('Projects G P');
  expect(shown.some((name) => name?.startsWith('Reject'))).toBe(false);
  expect(document.activeElement).toBe(field());
});

it('finds entries while typing, moves by arrows and runs by Enter', async () => {
  open();
  await type('queue');
  const first = names()[0];
  expect(chosen()).toContain(first?.split(' ')[0]);
  await press('ArrowDown');
  expect(chosen()).not.toContain(first ?? '');
  await press('ArrowUp');
  await press('Enter');
  await vi.waitFor(() => expect(goto).toHaveBeenCalledWith('/queue'));
  expect(screen.queryByRole('dialog')).toBeNull();
});

it('runs a command of the page after it has closed', async () => {
  open();
  await type('appr');
  await press('Enter');
  await vi.waitFor(() => expect(ran).toEqual(['approve']));
});

it('lists recently used entries first', async () => {
  const { unmount } = open();
  await type('analytics');
  await press('Enter');
  await vi.waitFor(() => expect(goto).toHaveBeenCalled());
  unmount();
  open();
  expect(names()[0]).toContain('Analytics');
  expect(screen.getByText('Recent')).toBeTruthy();
});

it('says when nothing matches, and Enter then does nothing', async () => {
  open();
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ items: [], people: [], complete: true })));
  await type('zzzz');
  await vi.waitFor(() => expect(screen.getByText('No results for “zzzz”')).toBeTruthy());
  vi.unstubAllGlobals();
  await press('Enter');
  expect([ran, goto.mock.calls]).toEqual([[], []]);
});

it('takes over text that was typed before it appeared', () => {
  panels.typed = 'appr';
  open();
  expect((field() as HTMLInputElement).value).toBe('appr');
  expect(panels.typed).toBe('');
});

it('closes by Escape, and by the key that opened it', async () => {
  const { unmount } = open();
  await press('k', { ctrlKey: true });
  await vi.waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  unmount();
  open();
  await press('Escape');
  await vi.waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

it('stays open until signing out is answered, and shows why it failed', async () => {
  const signingOut = Promise.withResolvers<never>();
  const signOut = vi.spyOn(session, 'signOut').mockReturnValue(signingOut.promise);
  onTestFinished(() => signOut.mockRestore());
  const changes: boolean[] = [];
  render(Palette, {
    get open() {
      return changes.at(-1) ?? true;
    },
    set open(value) {
      changes.push(value);
    },
    ...{ user: 'ana', to: goto },
  });
  await type('sign out');
  await press('Enter');
  await vi.waitFor(() => expect(signOut).toHaveBeenCalledOnce());
  await press('Escape');
  await press('k', { ctrlKey: true });
  await fireEvent.click(screen.getByRole('button', { name: /^Close/ }));
  expect(changes).toEqual([]);
  signingOut.reject(new Error('There is no connection.'));
  await screen.findByRole('alert');
});

it('toggles single-letter keys, which are otherwise unavailable', async () => {
  open();
  await type('single');
  await press('Enter');
  await vi.waitFor(() => expect(keySettings.on).toBe(false));
});

describe('a project', () => {
  const ID = '0198c2f0-7a10-7c3e-9f6b-2d4e6a8c0b11';
  const project = (id: string, abilities: object) => ({ id, name: `Kettles ${id.slice(-2)}`, abilities }) as Project;

  beforeEach(() => {
    projects.list = [project(ID, { see_deliveries: true }), project(ID.replace('11', '22'), {})];
    vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ items: [], people: [], complete: true })));
  });
  afterEach(() => {
    projects.list = null;
    vi.unstubAllGlobals();
  });

  it.each([
    ['retention', 'keeping'],
    ['reasons', 'reasons'],
    ['always escalate', 'flags'],
    ['media hosts', 'content'],
    ['sensitive flags', 'content'],
    ['content kinds', 'content'],
    ['audit rate', 'audit'],
    ['undo window', 'time'],
    ['time zone', 'project'],
    ['who gets which items first', 'skills'],
  ])('opens its rules where “%s” is', async (searched, anchor) => {
    open();
    await type(`kettles 11 ${searched}`);
    await press('Enter');
    await vi.waitFor(() => expect(goto).toHaveBeenCalledWith(`/projects/${ID}/rules#${anchor}`));
  });

  it('opens its rules at their top for a threshold', async () => {
    open();
    await type('kettles 11 review from');
    await press('Enter');
    await vi.waitFor(() => expect(goto).toHaveBeenCalledWith(`/projects/${ID}/rules`));
  });

  it('is found by its ID, however it is pasted', async () => {
    open();
    await type(` ${ID.toUpperCase()} `);
    expect(names()).toEqual(['Kettles 11']);
    await press('Enter');
    await vi.waitFor(() => expect(goto).toHaveBeenCalledWith(`/projects/${ID}`));
  });

  it('finds the deliveries of an event ID for people who may see them', async () => {
    open();
    await type('evt_0198A6e2-x ');
    expect(names()).toEqual(['Deliveries of evt_0198A6e2-x in Kettles 11']);
    await press('Enter');
    await vi.waitFor(() => expect(goto).toHaveBeenCalledWith(`/projects/${ID}/deliveries?event=evt_0198A6e2-x`));
  });
});

describe('items and people', () => {
  const ITEM = { id: '0198a6e2-0000-7000-8000-000000000001', project_id: 'p1', status: 'approved', created_at: '' };
  const PERSON = { user_id: 'u1', project_id: 'p1', name: 'Kettle Karl', role: 'reviewer' };
  let asked: string[];
  let answer: () => Promise<Response>;
  const found = { items: [{ ...ITEM, preview: 'A <b>kettle</b>' }], people: [PERSON], complete: true };
  const json = (body: unknown) =>
    new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } });

  beforeEach(() => {
    vi.useFakeTimers();
    asked = [];
    answer = () => Promise.resolve(json(found));
    vi.stubGlobal('fetch', (url: string) => {
      asked.push(new URL(url, 'http://x').searchParams.get('q') ?? '');
      return answer();
    });
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  const pause = () => vi.advanceTimersByTimeAsync(PAUSE_MS);

  it('are searched once typing pauses, listed after what the page knows, and open with Enter', async () => {
    open();
    await type('ket');
    await type('kettle');
    expect(screen.getByRole('status').textContent).toBe('Searching items and people…');
    await pause();
    expect(asked).toEqual(['kettle']);
    expect(names()).toEqual(['A <b>kettle</b> · approved ·', 'Kettle Karl · reviewer ·']);
    expect(screen.getByRole('status').textContent).toBe('');
    await press('Enter');
    await vi.advanceTimersByTimeAsync(100);
    expect(goto).toHaveBeenCalledWith(`/queue?item=${ITEM.id}`);
  });

  it('open on the queue page with its view and project unchanged', async () => {
    history.replaceState(null, '', '/queue?view=mine&project=p&item=other');
    onTestFinished(() => history.replaceState(null, '', '/'));
    open();
    await type('kettle');
    await pause();
    await press('Enter');
    await vi.advanceTimersByTimeAsync(100);
    expect(goto).toHaveBeenCalledWith(`/queue?view=mine&project=p&item=${ITEM.id}`);
  });

  it.each([
    ['their own page', { see_analytics: true }, 'u2', '?person=u1'],
    ['their own page for themselves', {}, 'u1', '?person=u1'],
    ['the list of people where figures are hidden', {}, 'u2', ''],
  ])('open %s', async (_, abilities, user, query) => {
    projects.list = [{ id: 'p1', name: 'North', abilities } as Project];
    onTestFinished(() => void (projects.list = null));
    render(Palette, { open: true, user, to: goto });
    await type('karl');
    await pause();
    await press('ArrowDown');
    await press('Enter');
    await vi.advanceTimersByTimeAsync(100);
    expect(goto).toHaveBeenCalledWith(`/projects/p1/people${query}`);
  });

  it('never show the results of an earlier text, nor take the selection from an entry of the page', async () => {
    const first = Promise.withResolvers<Response>();
    answer = () => first.promise;
    open();
    await type('queue');
    await pause();
    const chosenBefore = chosen();
    await type('analytics');
    first.resolve(json(found));
    await vi.advanceTimersByTimeAsync(PAUSE_MS - 1);
    expect(names().some((name) => name?.includes('kettle'))).toBe(false);
    answer = () => Promise.resolve(json(found));
    await vi.advanceTimersByTimeAsync(1);
    expect(names().some((name) => name?.includes('kettle'))).toBe(true);
    expect(chosenBefore).not.toContain('kettle');
    expect(chosen()).toContain('Analytics');
  });

  it('QU24: say when older items were not searched, and when the search failed', async () => {
    answer = () => Promise.resolve(json({ ...found, complete: false }));
    open();
    await type('kettle');
    await pause();
    expect(screen.getByRole('status').textContent).toBe('Only the newest items were searched.');
    answer = () => Promise.reject(new TypeError('offline'));
    await type('kettles');
    await pause();
    expect(screen.getByRole('status').textContent).toContain('could not be searched');
  });

  it('are not asked for a single letter', async () => {
    open();
    await type('k');
    await pause();
    expect(asked).toEqual([]);
  });
});
