// @vitest-environment happy-dom
// The forms that add people, keys and sources keep their text at a change of the tab; leaving the project asks first.
import { ABILITIES } from '@countersign/shared/enums';
import type { Project } from '@countersign/shared/schemas/projects';
import { DEFAULT_SETTINGS } from '@countersign/shared/settings';
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import Keys from '../keys/Keys.svelte';
import AddPeople from '../people/AddPeople.svelte';
import { SettingsForm } from './settings-form.svelte.ts';

const WALLET = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU';
const abilities = Object.fromEntries(ABILITIES.map((ability) => [ability, true]));
const formOf = (may = abilities) =>
  new SettingsForm(
    { ...{ id: 'p', name: 'Maths', ...DEFAULT_SETTINGS, settings_version: 1 }, abilities: may } as unknown as Project,
    'me',
  );

let answer: () => Promise<Response>;
beforeEach(() => {
  answer = () => Promise.resolve(Response.json({}, { status: 500 }));
  vi.stubGlobal('fetch', (_: string, { method = 'GET' }: { method?: string } = {}) =>
    method === 'GET' ? Promise.resolve(Response.json({ data: [], next_cursor: null })) : answer(),
  );
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const showPeople = (form: SettingsForm) => render(AddPeople, { form, oninvite: vi.fn(), onadd: vi.fn() });
const showKeys = (form: SettingsForm) => render(Keys, { form });
type Show = (form: SettingsForm) => unknown;

/** The field at this place among those with the label. */
const field = async (label: string | RegExp, at = 0) =>
  vi.waitFor(() => {
    const found = screen.getAllByLabelText<HTMLInputElement>(label)[at];
    if (found === undefined) throw new Error('It is not shown yet.');
    return found;
  });
const type = async (input: HTMLInputElement, value: string) => fireEvent.input(input, { target: { value } });

it.each([
  { what: 'the wallet of an invite', tab: 'people', show: showPeople as Show, label: /^Restrict to wallet/, place: 0 },
  { what: 'the wallet of a member', tab: 'people', show: showPeople, label: 'Wallet address', place: 0 },
  { what: 'the name of a key', tab: 'keys', show: showKeys, label: 'Name', place: 0 },
  { what: 'the name of a source', tab: 'keys', show: showKeys, label: 'Name', place: 1 },
])('QU3: keeps $what when the tab is left, and counts its form', async ({ tab, show, label, place }) => {
  const form = formOf();
  show(form);
  expect(form.tabsWithUnsavedForms).toEqual([]);
  await type(await field(label, place), 'typed');
  expect(form.tabsWithUnsavedForms).toEqual([tab]);
  cleanup();
  show(form);
  expect((await field(label, place)).value).toBe('typed');
  form.reset();
  expect([form.tabsWithUnsavedForms, (await field(label, place)).value]).toEqual([[], '']);
});

it('counts no form that the user does not see any more', async () => {
  const form = formOf();
  showPeople(form);
  await type(await field('Wallet address'), 'typed');
  form.take({ ...form.project, abilities: { ...form.project.abilities, manage_members: false } });
  expect(form.tabsWithUnsavedForms).toEqual([]);
});

it('is done with what was sent, and keeps what was typed meanwhile', async () => {
  const form = formOf();
  showPeople(form);
  const wallet = await field('Wallet address');
  await type(wallet, WALLET);
  const sent = Promise.withResolvers<Response>();
  answer = () => sent.promise;
  await fireEvent.click(screen.getByRole('button', { name: 'Offer membership' }));
  await type(wallet, 'next');
  sent.resolve(Response.json({ kind: 'offer', address: WALLET, role: 'reviewer' }));
  await screen.findByText(/^Membership offered/);
  expect([wallet.value, form.tabsWithUnsavedForms]).toEqual(['next', ['people']]);
});

it('is empty again after it was sent', async () => {
  const form = formOf();
  showKeys(form);
  await type(await field('Name'), 'ci');
  answer = () => Promise.resolve(Response.json({ api_key: 'csk_1', id: 'k' }, { status: 201 }));
  await fireEvent.click(screen.getByRole('button', { name: 'Create key' }));
  await screen.findByRole('button', { name: 'Done' });
  expect(form.tabsWithUnsavedForms).toEqual([]);
});
