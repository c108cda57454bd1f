// @vitest-environment happy-dom
// The answer schema of a project: its faults, the preview, the check against recent items, and what is never lost.
import type { Project } from '@countersign/shared/schemas/projects';
import { DEFAULT_SETTINGS } from '@countersign/shared/settings';
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { jsonText } from '@countersign/shared/json/json';
import { SettingsForm } from '../settings/settings-form.svelte.ts';
import AnswerSchema from './AnswerSchema.svelte';
import { EXAMPLE_SCHEMA } from './example-schema.ts';
import { CHECKED } from './schema-check.svelte.ts';

vi.mock('$app/paths', () => ({ resolve: (route: string) => route.replace('/(app)', '') }));
// In a real browser its end-to-end test types into it; here the plain field that it replaces is typed into.
vi.mock('#lib/values/json/code-editor.ts', () => {
  throw new Error('There is no layout.');
});

const ID = '0198c2f0-7a10-7c3e-9f6b-2d4e6a8c0b11';
const project = (settings: Partial<Project> = {}, may = true) =>
  ({
    id: ID,
    name: 'Refunds',
    ...DEFAULT_SETTINGS,
    ...settings,
    settings_version: 4,
    abilities: { change_settings: may },
  }) as Project;

/** What the page asks for, and what it is answered. */
let asked: string[] = [];
let pages: object[] = [];

beforeEach(() => {
  asked = [];
  pages = [];
  vi.stubGlobal('fetch', (url: string) => {
    asked.push(url);
    const page = pages.shift();
    const headers = { 'content-type': 'application/json' };
    if (page === undefined) return Promise.resolve(new Response('{}', { status: 503, headers }));
    return Promise.resolve(new Response(jsonText(page), { headers }));
  });
});
afterEach(() => {
  cleanup();
  sessionStorage.clear();
  vi.unstubAllGlobals();
});

const editor = () => screen.findByLabelText<HTMLTextAreaElement>('Answer schema as JSON');
const type = async (text: string) => fireEvent.input(await editor(), { target: { value: text } });
const press = async (name: string) => fireEvent.click(await screen.findByRole('button', { name }));

function open(settings: Partial<Project> = {}, may = true): SettingsForm {
  const form = new SettingsForm(project(settings, may), 'me');
  render(AnswerSchema, { form });
  // The validator and the form are loaded at the first interaction.
  window.dispatchEvent(new Event('pointermove'));
  return form;
}

describe('the answer schema of a project', () => {
  it('starts from an example where there is none, and shows the form made from it', async () => {
    const form = open();
    expect(screen.queryByRole('button', { name: 'Remove schema' })).toBeNull();
    await screen.findByText('No schema');
    await press('Start from an example');
    expect(form.draft.answer_schema).toBe(EXAMPLE_SCHEMA);
    await screen.findByRole('group', { name: 'Answer form' });
    expect(form.changes).toEqual(['answer_schema']);
    expect(form.ready).toBe(true);
  });

  it('names each fault with its line, and does not save a schema that the service would refuse', async () => {
    const form = open();
    await type('{\n  "type": "object",\n  "properties": {"a": {"type": "money"}},\n  "$dynamicRef": "#x"\n}');
    await screen.findByText('This schema has 2 faults');
    expect(screen.getByRole('button', { name: 'Go to line 3' })).toBeTruthy();
    expect(screen.getByText('properties › a › type')).toBeTruthy();
    expect(form.invalid).toEqual(['answer_schema']);
    expect(form.fault('answer_schema')).toMatch(/^Line 3: properties › a › type: This must be one of/);
    await type('{"type": ');
    await screen.findByText(/^Line 1, column 10/);
    expect(form.ready).toBe(false);
    await type('{"type": "object"}');
    expect(form.ready).toBe(true);
    expect(screen.queryByText(/^This schema has/)).toBeNull();
  });

  it('keeps what was typed on other tabs of the page and over a reload', async () => {
    const form = open();
    const text = '{\n  "type": "string",\n  "minLength": 1.0\n}';
    await type(text);
    cleanup();
    form.persist();
    const again = new SettingsForm(project(), 'me');
    expect(again.draft.answer_schema).toBe(text);
    render(AnswerSchema, { form: again });
    expect((await editor()).value).toBe(text);
  });

  it('removes the schema, and puts it back', async () => {
    const form = open({ answer_schema: { type: 'string' } });
    const text = form.draft.answer_schema;
    await press('Remove schema');
    expect([form.draft.answer_schema, form.changes]).toEqual(['', ['answer_schema']]);
    expect(form.announcement).toContain('removed');
    await screen.findByText('No schema');
    await press('Put it back');
    expect([form.draft.answer_schema, form.changes]).toEqual([text, []]);
  });

  it('PM: shows the saved schema and its form to users who may not change it', async () => {
    open({ answer_schema: { type: 'object', properties: { a: { type: 'string' } } } }, false);
    await screen.findByRole('group', { name: 'Answer form' });
    expect(screen.getByRole('region', { name: 'schema' }).textContent).toContain('"properties"');
    expect(screen.queryByLabelText('Answer schema as JSON')).toBeNull();
    expect(screen.queryByRole('button', { name: /Remove|Check against/ })).toBeNull();
  });

  it('PM: says that there is none to users who may not write one', () => {
    open({}, false);
    expect(screen.getByText('Answers are free text or any JSON.')).toBeTruthy();
    expect(screen.queryByRole('button')).toBeNull();
  });
});

describe('the preview', () => {
  const SCHEMA = { type: 'object', required: ['a'], properties: { a: { type: 'string' } } };

  it('is tried without an effect, and says whether the answer fits', async () => {
    const form = open({ answer_schema: SCHEMA });
    const field = await screen.findByRole('textbox', { name: 'a' });
    await press('Check answer');
    await screen.findByText("1 place doesn't satisfy the schema yet.");
    await fireEvent.input(field, { target: { value: 'yes' } });
    await screen.findByText('This answer satisfies the schema.');
    expect([form.dirty, asked]).toEqual([false, []]);
    await press('Clear');
    expect((await screen.findByRole<HTMLInputElement>('textbox', { name: 'a' })).value).toBe('');
  });

  it('keeps what was entered while the schema changes, and the last valid form while it has faults', async () => {
    open({ answer_schema: SCHEMA });
    await fireEvent.input(await screen.findByRole('textbox', { name: 'a' }), { target: { value: 'kept' } });
    await type('{"type": ');
    await screen.findByText(/^The schema has faults/);
    await type(JSON.stringify({ ...SCHEMA, properties: { ...SCHEMA.properties, b: { type: 'string' } } }));
    await screen.findByRole('textbox', { name: 'b' });
    expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'a' }).value).toBe('kept');
  });

  it('says where no form can show the schema', async () => {
    open({ answer_schema: true });
    await screen.findByText(/No form can show this schema/);
  });
});

describe('the check against recent items', () => {
  const SCHEMA = { type: 'object', required: ['amount'], properties: { amount: { type: 'integer' } } };
  const item = (id: number, rest: object) => ({
    ...{ id: `item-${id}`, preview: `Question ${id}`, title: null, kind: 'answer', status: 'approved' },
    created_at: '2026-01-01T00:00:00.000Z',
    ...rest,
  });

  it('ST5: counts suggestions and final outputs, and lists what does not fit with its faults and a link', async () => {
    open({ answer_schema: SCHEMA });
    pages = [
      {
        data: [
          item(1, { suggestion: { amount: 5 }, output: { amount: 5 } }),
          item(2, { title: 'Refund', suggestion: {} }),
        ],
        next_cursor: 'more',
      },
      { data: [item(3, { suggestion: { amount: '5' }, output: { amount: '5' } })], next_cursor: null },
    ];
    await press(`Check against the last ${CHECKED} items`);
    await screen.findByText('Of the last 3 items, 1 of 3 suggestions and 1 of 2 final outputs satisfy this schema.');
    expect(asked).toEqual([`/api/projects/${ID}/answers?limit=20`, `/api/projects/${ID}/answers?limit=18&after=more`]);
    const links = screen
      .getAllByRole<HTMLAnchorElement>('link')
      .map((link) => [link.textContent, link.getAttribute('href')]);
    expect(links).toEqual([
      ['Refund', '/queue?item=item-2'],
      ['Question 3', '/queue?item=item-3'],
    ]);
    expect(screen.getByText('Suggestion and final output')).toBeTruthy();
    expect(screen.getByText('amount is missing.')).toBeTruthy();
    await type('{"type":"object"}');
    await screen.findByText(/^The schema has changed since/);
  });

  it('says why it failed, and that there is nothing to check', async () => {
    open({ answer_schema: SCHEMA });
    const name = `Check against the last ${CHECKED} items`;
    await press(name);
    await screen.findByText('The items could not be checked');
    pages = [{ data: [], next_cursor: null }];
    await press(name);
    await screen.findByText('This project has no items to check yet.');
    expect(screen.queryByText('The items could not be checked')).toBeNull();
  });

  it('needs a valid schema', async () => {
    open({ answer_schema: SCHEMA });
    await type('{');
    const button = await screen.findByRole<HTMLButtonElement>('button', { name: /^Check against/ });
    await waitFor(() => expect(button.disabled).toBe(true));
  });
});
