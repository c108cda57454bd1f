// @vitest-environment happy-dom
// Owners add, change, move and remove who gets which items first; others read it.
import type { Project } from '@countersign/shared/schemas/projects';
import { DEFAULT_SETTINGS } from '@countersign/shared/settings';
import type { Skill } from '@countersign/shared/skills';
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import SkillRules from './SkillRules.svelte';
import { SettingsForm } from '../../settings/settings-form.svelte.ts';

const [ANA, MAREK] = ['0198c2f0-7a10-7c3e-9f6b-000000000001', '0198c2f0-7a10-7c3e-9f6b-000000000002'];
const PEOPLE = [
  { user_id: ANA, name: 'Ana' },
  { user_id: MAREK, name: 'Marek' },
];
const LEGAL: Skill = { match: { flag: 'legal' }, people: [ANA, MAREK], after_minutes: 30 };
const GOLD: Skill = { match: { value: 'gold', metadata: '/team' }, people: [ANA], after_minutes: 1 };

const shown = (
  skills: Skill[],
  { may = true, members = PEOPLE, ...more }: Partial<Project> & { may?: boolean; members?: typeof PEOPLE } = {},
) => {
  const project = {
    id: '0198c2f0-7a10-7c3e-9f6b-2d4e6a8c0b11',
    name: 'Maths answers',
    ...DEFAULT_SETTINGS,
    skills,
    skill_people: members,
    settings_version: 4,
    abilities: { change_settings: may },
    ...more,
  } as unknown as Project;
  const form = new SettingsForm(project, 'me');
  render(SkillRules, { form, draft: form.draft, readonly: !may });
  return form;
};

beforeEach(() => {
  const members = PEOPLE.map((one) => ({ ...one, address: 'A', role: 'reviewer', holding: 0, abilities: {} }));
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ data: members, next_cursor: null })));
});
afterEach(() => {
  cleanup();
  sessionStorage.clear();
  vi.unstubAllGlobals();
});

const lines = () =>
  screen.queryAllByRole('listitem').map(({ textContent }) => textContent.replaceAll(/\s+/g, ' ').trim());
const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }));
const type = (label: string, value: string) => fireEvent.input(screen.getByLabelText(label), { target: { value } });

it('SK1: reads one sentence per entry, and says which entry has no effect', () => {
  shown([LEGAL, GOLD], { may: false, members: [{ user_id: MAREK, name: 'Marek' }], escalate_flags: ['Legal'] });
  expect(lines()).toEqual([
    'Items flagged “legal” go to a former or blocked member and Marek first, for 30 minutes. This is also an escalate flag: such items go to supervisors and owners, who have no entry here.',
    'Items whose metadata /team is “gold” go to a former or blocked member first, for 1 minute. None of these people can decide here now, so these items are for everyone.',
  ]);
  expect(screen.queryByRole('button')).toBeNull();
});

it('SK2: adds an entry for members, and says what it lacks', async () => {
  const form = shown([]);
  await press('Add an entry');
  await screen.findByLabelText('Ana');
  await press('Add entry');
  expect(screen.getByText('Enter a flag.')).toBeTruthy();
  expect(screen.getByText('Choose at least one person.')).toBeTruthy();
  await fireEvent.click(screen.getByLabelText('a metadata value'));
  await type('Metadata field', 'team');
  await type('Value', 'gold');
  await fireEvent.click(screen.getByLabelText('Marek'));
  await type('For', '0');
  await press('Add entry');
  expect(screen.getByText('Enter a whole number from 1 to 1440.')).toBeTruthy();
  await type('For', '15');
  await press('Add entry');
  expect(lines()).toEqual(['Items whose metadata /team is “gold” go to Marek first, for 15 minutes.']);
  expect(form.changes).toEqual(['skills']);
  expect(form.ready).toBe(true);
});

it('SK1: changes, moves and removes entries, and refuses a second one for the same flag', async () => {
  const form = shown([LEGAL, GOLD]);
  await press('Move up: Items whose metadata /team is “gold”');
  expect(lines()[0]).toContain('/team');
  await press('Change: Items whose metadata /team is “gold”');
  await screen.findByLabelText('Ana');
  await fireEvent.click(screen.getByLabelText('a risk flag'));
  await type('Risk flag', ' LEGAL');
  await press('Apply');
  expect(screen.getByText('There is an entry for this already. Change that one.')).toBeTruthy();
  await type('Risk flag', 'pii');
  await press('Apply');
  expect(lines()[0]).toContain('Items flagged “pii” go to Ana first, for 1 minute.');
  await press('Remove: Items flagged “legal”');
  expect(lines()).toHaveLength(1);
  await waitFor(() => expect(document.activeElement?.getAttribute('aria-label')).toBe('Change: Items flagged “pii”'));
  expect(form.draft.skills).toHaveLength(1);
});
