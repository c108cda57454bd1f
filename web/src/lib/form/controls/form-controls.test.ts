// @vitest-environment happy-dom
// The controls of a form: what they write, where the focus goes, and which faults they show.
import { cleanup, fireEvent, render, screen, within } from '@testing-library/svelte';
import { afterEach, describe, expect, it } from 'vitest';
import type { Json } from '@countersign/shared/json/json';
import { parseJson } from '#lib/values/json/lossless.ts';
import { AnswerForm } from '../answer-form.svelte.ts';
import SchemaForm from './SchemaForm.svelte';

/** Shows the form of a schema; `text` is what it has written. */
function show(schema: unknown, value: string, starts = false) {
  const written = { text: value };
  const form = new AnswerForm({
    schema: schema as Json,
    original: value === '' ? undefined : parseJson(value),
    text: value,
    pending: [],
    starts,
    onwrite: (text) => (written.text = text),
  });
  render(SchemaForm, { form, takesFocus: true, blockedCount: 0 });
  const compact = () => (written.text === '' ? '' : JSON.stringify(JSON.parse(written.text)));
  return { form, written, compact };
}

afterEach(cleanup);

const type = (field: Element | null, value: string) => fireEvent.input(field ?? document, { target: { value } });

const object = (properties: Record<string, unknown>, required: string[] = []) => ({
  type: 'object',
  properties,
  required,
});

describe('the form of a schema', () => {
  it('focuses the first field, or the first one with a fault', () => {
    show(object({ a: { const: 1 }, b: { type: 'string' } }), '{"a":1,"b":"x"}');
    expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'b' }));
  });

  it('adds an entry and focuses it, removes one, and moves one with Alt and an arrow', async () => {
    const { compact } = show(object({ n: { type: 'array', items: { type: 'number' } } }), '{"n":[1.0,2]}');
    await fireEvent.click(screen.getByRole('button', { name: 'Add entry to n' }));
    expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Entry 3' }));
    await type(document.activeElement, '3');
    expect(compact()).toBe('{"n":[1,2,3]}');
    await fireEvent.keyDown(document.activeElement ?? document, { key: 'ArrowUp', altKey: true });
    expect(compact()).toBe('{"n":[1,3,2]}');
    await fireEvent.click(screen.getByRole('button', { name: 'Remove n 1' }));
    expect(compact()).toBe('{"n":[3,2]}');
  });

  it('adds an entry for each pasted line', async () => {
    const { compact } = show(object({ t: { type: 'array', items: { type: 'string' } } }), '{"t":["a"]}');
    const clipboardData = { getData: () => 'b\nc\n' };
    await fireEvent.paste(screen.getByRole('textbox', { name: 'Entry 1' }), { clipboardData });
    expect(compact()).toBe('{"t":["a","b","c"]}');
  });

  it('chooses by digit among a few, and by search among many', async () => {
    const many = Array.from({ length: 9 }, (_, at) => `kind-${at}`);
    const schema = object({ few: { enum: ['x', 'y'] }, many: { enum: many } });
    const { compact } = show(schema, '{"few":"x","many":"kind-0"}');
    await fireEvent.keyDown(screen.getByRole('radio', { name: /^x/ }), { key: '2', code: 'Digit2' });
    expect(compact()).toBe('{"few":"y","many":"kind-0"}');
    const search = screen.getByRole('combobox', { name: 'many' });
    await type(search, '-7');
    await fireEvent.keyDown(search, { key: 'Enter' });
    expect(compact()).toBe('{"few":"y","many":"kind-7"}');
    expect(screen.queryByRole('listbox')).toBeNull();
  });

  describe('a choice that is typed in a long list', () => {
    const country = object({ c: { enum: ['AFR', 'BE', 'DE', 'FR', 'GB', 'IT', 'fr-CA'] } });
    const searched = () => screen.getByRole<HTMLInputElement>('combobox', { name: 'c' });

    it.each([
      ['FR', 'FR'],
      ['fr', 'FR'],
      [' de ', 'DE'],
      ['it', 'IT'],
      ['ca', 'fr-CA'],
    ])('TS4: %j is %s on leaving the field, and on sending', async (typed, chosen) => {
      for (const leave of ['blur', 'send']) {
        const { form, compact } = show(country, '{"c":"GB"}');
        await type(searched(), typed);
        if (leave === 'blur') await fireEvent.blur(searched());
        else await fireEvent.keyDown(searched(), { key: 'Enter', ctrlKey: true });
        expect([compact(), form.faults, searched().value]).toEqual([`{"c":"${chosen}"}`, [], chosen]);
        cleanup();
      }
    });

    it.each([
      ['XQ', 'blur'],
      ['XQ', 'Enter'],
      ['XQ', 'Ctrl+Enter'],
      ['E', 'blur'],
      ['E', 'Ctrl+Enter'],
    ])('TS4: %j, which is none of them, stays and blocks sending, by %s', async (typed, leave) => {
      const { form } = show(country, '{"c":"DE"}');
      await type(searched(), typed);
      if (leave === 'blur') await fireEvent.blur(searched());
      else await fireEvent.keyDown(searched(), { key: 'Enter', ctrlKey: leave.startsWith('Ctrl') });
      expect(searched().value).toBe(typed);
      expect(form.pending).toEqual([{ pointer: '/c', text: typed, expects: 'choice' }]);
      expect(screen.getByText('This must be one of the choices.')).toBeTruthy();
      expect(screen.queryByRole('listbox')).toBeNull();
    });

    it('TS4: it stays when its list is opened and closed, and goes once it is replaced or cleared', async () => {
      const { form, compact } = show(country, '{"c":"DE"}');
      const keep = async () => {
        await type(searched(), 'XQ');
        await fireEvent.blur(searched());
      };
      await keep();
      await fireEvent.click(searched());
      await fireEvent.blur(searched());
      expect([searched().value, form.pending.length]).toEqual(['XQ', 1]);
      await type(searched(), 'DE');
      await fireEvent.blur(searched());
      expect([compact(), form.pending, searched().value]).toEqual(['{"c":"DE"}', [], 'DE']);
      await keep();
      await type(searched(), '');
      await fireEvent.blur(searched());
      expect([compact(), form.pending, searched().value]).toEqual(['{"c":"DE"}', [], 'DE']);
    });

    it('sends the marked option, and none that only an open list marks', async () => {
      const send = () => fireEvent.keyDown(searched(), { key: 'Enter', ctrlKey: true });
      const { compact } = show(object({ c: country.properties.c }), '{}');
      await fireEvent.click(searched());
      await send();
      expect([compact(), screen.queryByRole('listbox')]).toEqual(['{}', null]);
      await type(searched(), 'E');
      await fireEvent.keyDown(searched(), { key: 'ArrowDown' });
      await send();
      expect(compact()).toBe('{"c":"DE"}');
    });

    it('TS4: is shown again from a draft', () => {
      const form = new AnswerForm({
        schema: country as Json,
        original: parseJson('{"c":"DE"}'),
        text: '{"c":"XQ"}',
        pending: [{ pointer: '/c', text: 'XQ', expects: 'choice' }],
        starts: false,
        onwrite: () => undefined,
      });
      render(SchemaForm, { form, takesFocus: false, blockedCount: 0 });
      expect([searched().value, form.pending.length]).toEqual(['XQ', 1]);
    });
  });

  it('QU10: leaves the keys of an input method to it while a choice is searched', async () => {
    const { compact } = show(object({ many: { enum: ['BE', 'DE', 'FR', 'IT', 'NL', 'PL'] } }), '{"many":"FR"}');
    const search = screen.getByRole('combobox', { name: 'many' });
    await type(search, 'E');
    const active = () => search.getAttribute('aria-activedescendant');
    const before = active();
    for (const mark of [{ isComposing: true }, { keyCode: 229 }])
      for (const key of ['ArrowDown', 'Escape', 'Enter']) await fireEvent.keyDown(search, { key, ...mark });
    expect([compact(), active(), screen.queryByRole('listbox') !== null]).toEqual(['{"many":"FR"}', before, true]);
    await fireEvent.keyDown(search, { key: 'Enter' });
    expect(compact()).toBe('{"many":"BE"}');
  });

  it('puts back what was there when null or another form was chosen and taken back', async () => {
    const union = {
      oneOf: [
        { title: 'Name', type: 'string' },
        { title: 'Count', type: 'number' },
      ],
    };
    const { compact } = show(object({ a: { type: ['string', 'null'] }, b: union }), '{"a":"kept","b":"ten"}');
    const isNull = screen.getByRole('checkbox', { name: 'a: No value (null)' });
    await fireEvent.click(isNull);
    expect(compact()).toBe('{"a":null,"b":"ten"}');
    await fireEvent.click(isNull);
    await fireEvent.click(screen.getByRole('radio', { name: /^Count/ }));
    expect(compact()).toBe('{"a":"kept","b":""}');
    await fireEvent.click(screen.getByRole('radio', { name: /^Name/ }));
    expect(compact()).toBe('{"a":"kept","b":"ten"}');
  });

  it('shows the fault of a field beside it and keeps what cannot be a number', async () => {
    const { compact } = show(object({ n: { type: 'number', maximum: 5 } }, ['n']), '{"n":1}');
    const field = screen.getByRole('textbox', { name: 'n' });
    await type(field, '');
    expect(compact()).toBe('{}');
    expect(screen.getByText('This is missing.')).toBeTruthy();
    await type(field, '1.x');
    expect(compact()).toBe('{"n":"1.x"}');
    expect(field.getAttribute('aria-invalid')).toBe('true');
    expect(screen.getByText('This must be a number.')).toBeTruthy();
  });

  it('replaces a wrong constant that looks like the right one, and no number that equals it', async () => {
    const schema = object({ text: { const: '1' }, number: { const: 2 }, same: { const: 3 } });
    const { compact } = show(schema, '{"text":1,"number":"2","same":3.0}');
    const offers = screen.getAllByRole('button', { name: /^Use/ });
    expect(offers.map((offer) => offer.textContent?.trim())).toEqual(['Use "1"', 'Use 2']);
    expect(screen.getByText('"2"')).toBeTruthy();
    for (const offer of offers) await fireEvent.click(offer);
    expect(compact()).toBe('{"text":"1","number":2,"same":3}');
    expect(screen.queryByRole('button', { name: /^Use/ })).toBeNull();
  });

  it('edits what no form can show as JSON, and keeps it while it is incomplete', async () => {
    const { compact } = show(object({ any: {}, b: { type: 'string' } }), '{"any":{"x":1},"b":"y"}');
    const field = screen.getByRole('textbox', { name: 'any' });
    await type(field, '{"x":');
    expect(compact()).toBe('{"any":"{\\"x\\":","b":"y"}');
    expect(field.getAttribute('aria-invalid')).toBe('true');
    expect(screen.getByText('This is not valid JSON yet.')).toBeTruthy();
    await type(field, '{"x":2}');
    expect(compact()).toBe('{"any":{"x":2},"b":"y"}');
  });

  it('starts with what must be there, and calls nothing missing before it is sent', async () => {
    const schema = object({ a: object({ b: { type: 'string', default: 'd' } }, ['b']), c: { const: 1 } }, ['a', 'c']);
    const { compact } = show(schema, '', true);
    expect(screen.queryByText('This is missing.')).toBeNull();
    await fireEvent.click(screen.getByRole('button', { name: 'Use default: d' }));
    expect(compact()).toBe('{"a":{"b":"d"},"c":1}');
  });

  it('leaves out an optional member, and resets to the suggestion', async () => {
    const { compact } = show(object({ a: { type: 'string' }, b: { type: 'string' } }), '{"b":"1","a":"2"}');
    const fieldOfB = screen.getByRole('textbox', { name: 'b' }).closest<HTMLElement>('[data-pointer]');
    if (fieldOfB === null) throw new Error('The field has a frame.');
    await fireEvent.click(within(fieldOfB).getByRole('button', { name: 'Leave out b' }));
    expect(compact()).toBe('{"a":"2"}');
    await fireEvent.click(within(fieldOfB).getByRole('button', { name: 'Reset b' }));
    expect(compact()).toBe('{"b":"1","a":"2"}');
  });

  it('names the controls of a union, and marks and describes their faults', async () => {
    const union = {
      oneOf: [
        { type: 'number', maximum: 5 },
        { type: 'object', required: ['a'] },
      ],
    };
    const { compact } = show(
      object({ u: union, list: { oneOf: [{ type: 'array', items: { type: 'string' } }, { type: 'null' }] } }),
      '{"u":1}',
    );
    const number = screen.getByRole('textbox', { name: 'u' });
    await type(number, '7');
    expect(compact()).toBe('{"u":7}');
    expect(number.getAttribute('aria-invalid')).toBe('true');
    const described = number.getAttribute('aria-describedby')?.split(' ') ?? [];
    expect(described.map((each) => document.getElementById(each)?.textContent?.trim())).toContain(
      'This must be at most 5.',
    );
    await fireEvent.click(screen.getByRole('radio', { name: /^Object/ }));
    const json = screen.getByRole('textbox', { name: 'u' });
    expect(json.getAttribute('aria-invalid')).toBe('true');
    await type(json, '{"a":1}');
    expect(json.getAttribute('aria-invalid')).toBeNull();
  });

  it('says that a list is full only where no entry may follow, and adds JSON where no form fits', async () => {
    const schema = object({
      any: { type: 'array', items: true },
      pair: { type: 'array', prefixItems: [{}], items: false },
    });
    const { compact } = show(schema, '{"any":[1],"pair":[2]}');
    expect(screen.getAllByText('The list is full.')).toHaveLength(1);
    await fireEvent.click(screen.getByRole('button', { name: 'Add entry to any' }));
    expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Entry 2' }));
    await type(document.activeElement, '{"a":1}');
    expect(compact()).toBe('{"any":[1,{"a":1}],"pair":[2]}');
  });

  describe('a date field, whose parts the browser does not tell', () => {
    const date = { type: 'string', format: 'date' };
    /** What a browser shows of a date: its value, and whether only a part is there. */
    async function enter(field: HTMLInputElement, value: string, event: 'input' | 'keyUp' | 'blur') {
      const badInput = value === 'part';
      Object.defineProperty(field, 'validity', { value: { badInput }, configurable: true });
      if (event === 'input') await type(field, badInput ? '' : value);
      else await fireEvent[event](field);
    }
    const showDate = (value: string) => {
      const shown = show(object({ due: date, note: { type: 'string' } }), value);
      return { ...shown, field: screen.getByLabelText<HTMLInputElement>('due') };
    };

    it('TS4: names the field while a part is there, and removes the member only when it is empty', async () => {
      const { compact, field } = showDate('{"due":"2026-03-05","note":"x"}');
      await enter(field, 'part', 'input');
      expect(screen.getByText('This is not a complete date yet.')).toBeTruthy();
      expect(compact()).toBe('{"due":"","note":"x"}');
      await enter(field, '2026-04-05', 'input');
      expect(compact()).toBe('{"due":"2026-04-05","note":"x"}');
      await enter(field, '', 'input');
      expect(compact()).toBe('{"note":"x"}');
      expect(screen.queryByText('This is not a complete date yet.')).toBeNull();
    });

    it.each(['keyUp', 'blur'] as const)('TS4: sees a part without an event of input: %s', async (event) => {
      const { form, compact, field } = showDate('{"note":"x"}');
      await enter(field, 'part', event);
      expect([compact(), form.pending.length]).toEqual(['{"note":"x","due":""}', 1]);
      await enter(field, '', event);
      expect([compact(), form.pending.length]).toEqual(['{"note":"x"}', 0]);
    });

    it('writes nothing when the focus only passes, and clears the parts of a field that is left out', async () => {
      const { form, written, field } = showDate('{ "due":"2026-03-05" }');
      await enter(field, '2026-03-05', 'keyUp');
      await enter(field, '2026-03-05', 'blur');
      expect(written.text).toBe('{ "due":"2026-03-05" }');
      await enter(field, 'part', 'input');
      const cleared: string[] = [];
      Object.defineProperty(field, 'value', { get: () => '', set: (value: string) => cleared.push(value) });
      await fireEvent.click(screen.getByRole('button', { name: 'Leave out due' }));
      expect([cleared, form.pending]).toEqual([[''], []]);
    });

    it('keeps a part that a draft had until the field is filled in', async () => {
      const pending = [{ pointer: '/due', text: '', expects: 'date' as const }];
      const form = new AnswerForm({
        ...{ schema: object({ due: date }) as Json, original: { due: '2026-03-05' }, text: '{"due":""}', pending },
        ...{ starts: false, onwrite: () => undefined },
      });
      render(SchemaForm, { form, takesFocus: true, blockedCount: 0 });
      const field = screen.getByLabelText<HTMLInputElement>('due');
      await enter(field, '', 'keyUp');
      await enter(field, '', 'blur');
      expect(form.pending).toEqual(pending);
      await enter(field, '2026-03-06', 'input');
      expect([form.pending, form.value]).toEqual([[], { due: '2026-03-06' }]);
    });
  });
});
