// @vitest-environment happy-dom
// Users without write permission see the saved rules, not the draft they typed while they had it.
import type { Project } from '@countersign/shared/schemas/projects';
import { DEFAULT_SETTINGS } from '@countersign/shared/settings';
import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { tick } from 'svelte';
import { afterEach, expect, it, vi } from 'vitest';
import { messages } from '../project-messages.ts';
import { RULE_HEADINGS } from './rule-headings.ts';
import Rules from './Rules.svelte';
import { SettingsForm } from '../settings/settings-form.svelte.ts';
import { aSample } from './figures/sample.fixture.ts';

vi.mock('$app/paths', () => ({ resolve: (route: string) => route.replace('/(app)', '') }));

const project = (may: boolean, settings: Partial<Project> = {}) =>
  ({
    id: '0198c2f0-7a10-7c3e-9f6b-2d4e6a8c0b11',
    name: 'Maths answers',
    ...DEFAULT_SETTINGS,
    ...settings,
    settings_version: 4,
    abilities: { change_settings: may },
  }) as Project;

/** Shows the tab with all its parts, which render one after another. */
async function show(form: SettingsForm) {
  render(Rules, { form });
  await screen.findByText(messages.rules.newItemsOnly);
}

afterEach(() => {
  cleanup();
  sessionStorage.clear();
  location.hash = '';
  vi.restoreAllMocks();
});

it.each(Object.entries(RULE_HEADINGS))(
  'scrolls to #%s once all parts make the page long enough',
  async (id, heading) => {
    location.hash = `#${id}`;
    const scrolls: [string, boolean][] = [];
    vi.spyOn(Element.prototype, 'scrollIntoView').mockImplementation(function (this: Element) {
      scrolls.push([this.id, screen.queryByText(messages.rules.newItemsOnly) !== null]);
    });
    await show(new SettingsForm(project(true), 'me'));
    await vi.waitFor(() => expect(scrolls).toEqual([[id, true]]));
    expect(screen.getByRole('heading', { name: heading }).id).toBe(id);
  },
);

it('PM: shows the rules instead of the draft after write permission was lost, and the draft when it returns', async () => {
  const form = new SettingsForm(project(true), 'me');
  form.draft.target_minutes = '7';
  form.draft.claim_lease_seconds = 'abc';
  await show(form);
  const target = () => screen.getByLabelText<HTMLInputElement>('Decision target');
  expect(target().value).toBe('7');
  form.take(project(false));
  await tick();
  expect(target().value).toBe(String(DEFAULT_SETTINGS.target_minutes));
  expect(target().readOnly).toBe(true);
  expect(document.querySelector('[aria-invalid=true]')).toBeNull();
  expect(screen.queryByText(/^was /)).toBeNull();
  form.take(project(true));
  await tick();
  expect(target().value).toBe('7');
});

const days = (label: string) => screen.getByLabelText<HTMLInputElement>(label);

it('KE1: edits retention periods like any other number: forever while empty, in days otherwise', async () => {
  const form = new SettingsForm(project(true), 'me');
  await show(form);
  const content = days('Item content');
  expect([content.value, content.placeholder]).toEqual(['', 'forever']);
  await fireEvent.input(content, { target: { value: '90' } });
  expect(form.changes).toEqual(['retention_payload_days']);
  expect(screen.getByText('was forever')).toBeTruthy();
  await fireEvent.input(content, { target: { value: '6' } });
  expect(screen.getByText('Must be 7 to 3650.')).toBeTruthy();
  expect(form.ready).toBe(false);
  await fireEvent.input(content, { target: { value: '7.5' } });
  expect(screen.getByText('Must be a whole number.')).toBeTruthy();
  await fireEvent.input(days('Items'), { target: { value: '29' } });
  expect(screen.getByText('Must be 30 to 3650.')).toBeTruthy();
});

it('KE2 to KE5: says of each what is deleted and what stays', async () => {
  await show(new SettingsForm(project(true), 'me'));
  const section = screen.getByRole('region', { name: 'Data retention' }).textContent;
  for (const said of [
    'output and notes',
    'The delivery log still shows',
    'Analytics totals remain',
    'Items used in learnings are kept',
  ])
    expect(section).toContain(said);
});

it("KE4: notes beside a period longer than the item's that it is deleted with the item", async () => {
  const form = new SettingsForm(project(true, { retention_payload_days: 90, retention_attempt_days: 30 }), 'me');
  await show(form);
  expect(screen.queryByText(/Deleted with the item/)).toBeNull();
  await fireEvent.input(days('Items'), { target: { value: '60' } });
  expect(screen.getAllByText('Deleted with the item after 60 days.')).toHaveLength(1);
  expect([form.ready, document.querySelector('[aria-invalid=true]')]).toEqual([true, null]);
});

it('KE1, PM: shows retention periods to users who may not change the settings', async () => {
  await show(new SettingsForm(project(false, { retention_item_days: 365 }), 'me'));
  expect([days('Items').value, days('Items').readOnly]).toEqual(['365', true]);
  expect(days('Item content').readOnly).toBe(true);
});

const add = async (label: string, typed: string) => {
  const field = screen.getByLabelText<HTMLInputElement>(label);
  await fireEvent.input(field, { target: { value: typed } });
  await fireEvent.keyDown(field, { key: 'Enter' });
};

it('ST4: stores the host of a pasted URL as URLs spell it, and says what is no host', async () => {
  const form = new SettingsForm(project(true), 'me');
  await show(form);
  await add('Media hosts', 'https://Bücher.Example/cover.png, images.example.com');
  expect(form.draft.media_hosts).toEqual(['xn--bcher-kva.example', 'images.example.com']);
  expect(form.ready).toBe(true);
  await add('Media hosts', '127.0.0.1');
  expect(form.ready).toBe(false);
  expect(screen.getByText(/^Enter host names such as/)).toBeTruthy();
});

it('ST3: asks how pictures start once a flag is sensitive', async () => {
  const form = new SettingsForm(project(true), 'me');
  await show(form);
  expect(screen.queryByText('Blurred')).toBeNull();
  await add('Sensitive flags', 'violence');
  await fireEvent.click(screen.getByText('In greyscale'));
  expect(form.changes).toEqual(['sensitive_flags', 'sensitive_pictures']);
});

it('ST2: adds, changes and removes the kind of a pointer', async () => {
  const form = new SettingsForm(project(true), 'me');
  await show(form);
  const field = screen.getByLabelText<HTMLInputElement>('New pointer, such as /input/body');
  const submit = async (typed: string) => {
    await fireEvent.input(field, { target: { value: typed } });
    await fireEvent.submit(field.closest('form')!);
  };
  await submit('body');
  expect(form.draft.content_kinds).toEqual([]);
  await submit('/input/body');
  await submit('/input/body');
  expect(screen.getByText('Keep one kind for each pointer.')).toBeTruthy();
  expect(form.draft.content_kinds).toEqual(['/input/body: markdown']);
  await fireEvent.change(screen.getByLabelText('Kind of /input/body'), { target: { value: 'text' } });
  expect(form.draft.content_kinds).toEqual(['/input/body: text']);
  await fireEvent.click(screen.getByLabelText('Remove /input/body'));
  expect(form.changes).toEqual([]);
});

it('PM: shows content settings without fields to users who may not change them', async () => {
  const settings = { media_hosts: ['images.example.com'], content_kinds: { '/input': 'markdown' as const } };
  await show(new SettingsForm(project(false, settings), 'me'));
  expect(screen.getByText('images.example.com')).toBeTruthy();
  expect(screen.getByText('Markdown')).toBeTruthy();
  expect(screen.queryByLabelText('Media hosts', { selector: 'input' })).toBeNull();
  expect(screen.queryByLabelText('Kind of /input')).toBeNull();
});

const counts = {
  from: '2026-10-28T12:00:00.000Z',
  to: '2026-11-27T12:00:00.000Z',
  reasons: DEFAULT_SETTINGS.reasons.map((reason, at) => ({ reason, count: at === 0 ? 1234 : at })),
  other: 7,
};

it('AN23: shows beside the thresholds what saving would change, and offers flags that items had', async () => {
  const asked: string[] = [];
  vi.stubGlobal('fetch', (address: string) => {
    asked.push(address.split('/').at(-1) ?? '');
    return Promise.resolve(Response.json(address.endsWith('/thresholds') ? aSample() : counts));
  });
  const settings = {
    auto_threshold: 0.9,
    review_threshold: 0.7,
    below_review: 'queue',
    escalate_flags: ['legal'],
    audit_rate: 0.1,
  } as const;
  const seen = project(true, { ...settings, escalate_flags: [...settings.escalate_flags] });
  seen.abilities.see_analytics = true;
  const form = new SettingsForm({ ...seen, stopped: null }, 'me');
  await show(form);
  const effect = await screen.findByRole('region', { name: 'If you save' });
  const textOf = (cell: Element) => cell.textContent.replaceAll(/\s+/g, ' ').trim();
  const rowsOf = () => [...effect.querySelectorAll('tbody tr')].map((row) => [...row.children].map(textOf).join(' | '));
  expect(rowsOf()[0]).toBe('auto-approved | 40 40%');
  expect(await screen.findByText('40% of items would be auto-approved, 60% would be reviewed.')).toBeTruthy();
  await fireEvent.input(screen.getByRole('textbox', { name: 'Auto-approve from' }), { target: { value: '0.8' } });
  expect(rowsOf().slice(0, 3)).toEqual([
    'auto-approved | 40 40% | 70 70% | +30',
    'sent to review | 60 60% | 30 30% | -30',
    'of them escalated | 10 10% | 10 10% | 0',
  ]);
  expect(rowsOf()[4]).toMatch(/^wrong approvals expected \| 0 95%: 0–\d+ \| 3 95%: \d+–\d+ \| \+3$/);
  expect(screen.getByText('given 1,234 times')).toBeTruthy();
  expect(screen.getByText('Other, in words').parentElement?.textContent).toContain('7');
  expect(screen.getByText(', 10 items in the last 30 days')).toBeTruthy();
  await fireEvent.click(screen.getByRole('button', { name: /^odd 20 ?: escalate it too$/ }));
  expect(form.draft.escalate_flags).toEqual(['legal', 'odd']);
  expect(rowsOf()[2]).toBe('of them escalated | 10 10% | 30 30% | +20');
  expect(asked.sort()).toEqual(['reasons', 'thresholds']);
  vi.unstubAllGlobals();
});

it('AN23: tells users who may not save what the rules do', async () => {
  vi.stubGlobal('fetch', (address: string) =>
    Promise.resolve(Response.json(address.endsWith('/thresholds') ? aSample() : counts)),
  );
  const seen = project(false, { auto_threshold: 0.9, review_threshold: 0.7, below_review: 'queue' });
  seen.abilities.see_analytics = true;
  await show(new SettingsForm({ ...seen, stopped: null }, 'me'));
  const effect = await screen.findByRole('region', { name: 'What these rules do' });
  await vi.waitFor(() => expect(effect.textContent).toContain('auto-approved'));
  expect(effect.textContent).not.toContain('No rule on this page has changed');
  expect(screen.queryByText(/^If you save/)).toBeNull();
  vi.unstubAllGlobals();
});

it('AN23: keeps the figures it has when newer ones cannot be loaded', async () => {
  let fails = false;
  const refusal = { title: 'No', status: 403, detail: 'No.', code: 'forbidden', request_id: 'r' };
  vi.stubGlobal('fetch', (address: string) =>
    Promise.resolve(
      fails
        ? Response.json(refusal, { status: 403 })
        : Response.json(address.endsWith('/thresholds') ? aSample() : counts),
    ),
  );
  const seen: Project = { ...project(true, { auto_threshold: 0.9, review_threshold: 0.7 }), stopped: null };
  seen.abilities.see_analytics = true;
  const form = new SettingsForm(seen, 'me');
  await show(form);
  const effect = await screen.findByRole('region', { name: 'If you save' });
  fails = true;
  form.take({ ...seen, settings_version: 5 });
  await screen.findByText('These figures could not be refreshed');
  expect(effect.isConnected).toBe(true);
  vi.unstubAllGlobals();
});
