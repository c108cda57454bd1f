// An edit is sent as typed, changes only what was touched, and asks for confirmation when it breaks the shape.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Drafts } from '#lib/drafts/drafts.ts';
import { parseJson, printJson } from '#lib/values/json/lossless.ts';
import { LIMITS } from '@countersign/shared/limits';
import { jsonText, RawJson, type Json } from '@countersign/shared/json/json';
import { validateEdit, readEdit, EDIT_LIMITS } from './edit-validation.ts';
import { editable, editKind, fits, formOf, textOf, withField, type EditedItem } from './edit-model.ts';
import { provideValidator, EditSession } from './edit-session.svelte.ts';

provideValidator(validateEdit);

const SPELLINGS = ['1.0', '1e2', '0.12345678901234567890', '-0', '7'];

describe('readEdit', () => {
  const read = (suggestion: Json, text: string) =>
    readEdit({ item: { id: 'i1', suggestion }, kind: editKind(suggestion), subject: suggestion }, text);

  it('reads a text as it is and refuses one that changes nothing (LC0)', () => {
    expect(read('a', 'b')).toMatchObject({ ok: true, output: 'b' });
    expect(read('a', 'a')).toMatchObject({ ok: false, fault: 'unchanged' });
    expect(read('1', '2')).toMatchObject({ ok: true, output: '2' });
  });

  it('reads JSON as JSON, reports where it breaks, and ignores formatting', () => {
    const suggestion = { a: [1, 2] };
    expect(sent(read(suggestion, '{"a": [1, 3]}'))).toBe('{"a":[1,3]}');
    expect(read(suggestion, editable(suggestion, editKind(suggestion)))).toMatchObject({
      ok: false,
      fault: 'unchanged',
    });
    expect(read(suggestion, '{"a":[1,2}')).toMatchObject({ fault: 'json', at: 9 });
    expect(read({ a: 1 }, '{"a":1.0}')).toMatchObject({ ok: false, fault: 'unchanged' });
  });

  it('sends every number in its original spelling', () => {
    const suggestion = parseJson('{"n":1.0,"10":1e2,"2":0.12345678901234567890,"note":"a"}');
    const text = editable(suggestion, editKind(suggestion)).replace('"a"', '"b"');
    expect(sent(read(suggestion, text))).toBe('{"n":1.0,"10":1e2,"2":0.12345678901234567890,"note":"b"}');
  });

  it.each([
    ['bytes', (): string => JSON.stringify('é'.repeat(131_073))],
    ['depth', (): string => '['.repeat(33) + ']'.repeat(33)],
    ['values', (): string => `[${Array.from({ length: 10_000 }, () => 0).join(',')}]`],
    ['keys', (): string => JSON.stringify({ ['k'.repeat(257)]: 1 })],
    ['integer', (): string => '[9007199254740993]'],
    ['number', (): string => '[1e999]'],
    ['nul', (): string => '["\\u0000"]'],
    ['surrogate', (): string => '["\\ud800"]'],
  ] as const)('reports before sending what the service would refuse: %s', (limit, text) => {
    expect(read({ a: 1 }, text())).toMatchObject({ ok: false, fault: 'limit', limit });
  });

  it('knows the limits of the service', () => {
    expect(LIMITS).toMatchObject(EDIT_LIMITS);
  });

  it('accepts values just within the limits', () => {
    expect(read({ a: 1 }, '['.repeat(32) + ']'.repeat(32)).ok).toBe(true);
    expect(read({ a: 1 }, JSON.stringify('x'.repeat(262_142))).ok).toBe(true);
    expect(read({ a: 1 }, '[9007199254740991, 1e300]').ok).toBe(true);
    // Characters, as the service counts them.
    expect(read({ a: 1 }, JSON.stringify({ ['😀'.repeat(256)]: 1 })).ok).toBe(true);
    expect(read({ a: 1 }, JSON.stringify({ ['😀'.repeat(257)]: 1 })).ok).toBe(false);
  });

  it.each<[string, Json, string]>([
    ['depth', {}, `{"a":${'['.repeat(31)}${']'.repeat(31)}}`],
    ['values', {}, JSON.stringify({ a: Array.from({ length: 9992 }, () => 0) })],
    ['bytes', { a: 'x' }, JSON.stringify({ a: 'x'.repeat(262_120) })],
  ])('TC1: measures the %s of the whole call that is sent, not of its arguments', (limit, before, text) => {
    const suggestion = { name: 'refund', arguments: before };
    expect(read(before, text).ok).toBe(true);
    const edit = readEdit({ item: { id: 'i1', kind: 'tool_call', suggestion }, kind: 'json', subject: before }, text);
    expect(edit).toMatchObject({ ok: false, fault: 'limit', limit });
  });

  it('measures the text that is sent, with its white space', () => {
    const suggestion = (parseJson(`{"suggestion":[1,${' '.repeat(262_139)}2]}`) as { suggestion: Json }).suggestion;
    expect(read(suggestion, '[1,3]').ok).toBe(true);
    expect(read(suggestion, '[1,33]')).toMatchObject({ ok: false, limit: 'bytes' });
  });
});

describe('editKind', () => {
  it.each([
    ['"text"', 'text'],
    ['{"a":1,"b":"x","c":null,"d":true,"e":1.0}', 'form'],
    ['{}', 'json'],
    ['{"a":[]}', 'json'],
    ['[]', 'json'],
    ['[1]', 'schema'],
    ['{"a":[1]}', 'schema'],
    ['{"a":[1,"b"]}', 'json'],
    ['1.0', 'json'],
    [JSON.stringify(Object.fromEntries(Array.from({ length: 60 }, (__, at) => [`k${at}`, at]))), 'form'],
    [JSON.stringify(Object.fromEntries(Array.from({ length: 61 }, (__, at) => [`k${at}`, at]))), 'json'],
  ])('edits %s as %s', (text, kind) => {
    expect(editKind(parseJson(text))).toBe(kind);
  });
});

describe('the form', () => {
  const scalar = fc.oneof(
    fc.constantFrom(...SPELLINGS, 'true', 'null'),
    fc.string().map((text) => JSON.stringify(text)),
  );
  const key = fc.constantFrom('a', 'b', '2', '1', '__proto__', 'odd key', '');
  const flat = fc
    .uniqueArray(fc.tuple(key, scalar), { minLength: 1, maxLength: 6, selector: ([name]) => name })
    .map((members) => `{ ${members.map(([name, value]) => `${JSON.stringify(name)} :${value}`).join(' ,\n')} }`);

  it('changes the text of the field that was typed in, and of no other', () => {
    fc.assert(
      fc.property(flat, fc.nat(), fc.string(), (text, pick, typed) => {
        const form = formOf(text);
        if (form === null) throw new Error('A flat object has a form.');
        expect(textOf(form)).toBe(text);
        const at = pick % form.fields.length;
        const changed = textOf(withField(form, at, typed));
        const [before, after] = [form.between.slice(0, at + 1), form.between.slice(at + 1)];
        const stored = (piece: string, index: number) => piece + (form.fields[index]?.was.written ?? '');
        const head = before.map((piece, index) => (index < at ? stored(piece, index) : piece)).join('');
        expect(changed.startsWith(head)).toBe(true);
        const tail = after.map((piece, index) => stored(piece, at + 1 + index)).join('');
        expect(changed.endsWith(tail)).toBe(true);
      }),
    );
  });

  it('preserves the type of a field, and detects values that do not fit', () => {
    const form = formOf('{"s":"1","n":1.0,"b":true,"z":null}');
    if (form === null) throw new Error('A flat object has a form.');
    expect(form.fields.map(({ kind, typed }) => [kind, typed])).toEqual([
      ['string', '1'],
      ['number', '1.0'],
      ['boolean', 'true'],
      ['null', 'null'],
    ]);
    expect(textOf(withField(form, 0, 'a "quote"\n'))).toBe('{"s":"a \\"quote\\"\\n","n":1.0,"b":true,"z":null}');
    expect(
      ['12', '-0.5', '1e3', '1.', '', '0x1', '+1', '01', '1,5'].map((typed) => fits({ kind: 'number', typed })),
    ).toEqual([true, true, true, ...Array.from({ length: 6 }, () => false)]);
  });

  it('has no form for values that are not flat', () => {
    expect([formOf('{"a":[]}'), formOf('[1]'), formOf('{'), formOf('"x"')]).toEqual([null, null, null, null]);
  });
});

describe('submission', () => {
  const session = (suggestion: Json) => {
    const edit = new EditSession(new Drafts('me', null), { id: 'i1', suggestion });
    edit.reason = 'Wrong';
    return edit;
  };
  const type = (edit: EditSession, text: string) => {
    edit.text = text;
    edit.changed();
    return edit.submission();
  };

  it('includes the reason and the note, and numbers in their original spelling', () => {
    const edit = session(parseJson('{"sum":1.0,"to":"Ana"}'));
    edit.note = ' seen ';
    edit.type(1, 'Ines');
    const words = edit.submission();
    expect(jsonText(words)).toBe('{"output":{"sum":1.0,"to":"Ines"},"reason":"Wrong","note":"seen"}');
  });

  it('is blocked by broken JSON, no change or a missing reason, with a message', () => {
    const edit = session({ a: 1 });
    expect([type(edit, '{"a":'), edit.fault]).toEqual([null, expect.stringContaining('Line 1, column 6')]);
    expect([type(edit, '{"a":1.0}'), edit.fault]).toEqual([null, expect.stringContaining('No changes yet')]);
    edit.reason = null;
    expect([type(edit, '{"a":2}'), edit.fault]).toEqual([null, expect.stringContaining('Pick a reason')]);
  });

  it.each([
    ['a key is missing', '{"b":[1]}'],
    ['a type changed', '{"a":"1","b":[1]}'],
    ['a list has no entries left', '{"a":1,"b":[]}'],
  ])('is blocked once when %s, and accepted the second time', (_, text) => {
    const edit = session({ a: 1, b: [1] });
    expect(type(edit, text)).toBeNull();
    expect([edit.fault, edit.warned]).toEqual([null, text]);
    expect(edit.submission()).not.toBeNull();
  });

  it('asks again when the text changed after the warning', () => {
    const edit = session({ a: 1, b: [1] });
    expect(type(edit, '{"b":[1]}')).toBeNull();
    expect(type(edit, '{"b":[1,2]}')).toBeNull();
    expect(edit.submission()).not.toBeNull();
  });

  it('names the place of a fault as it is in the answer', () => {
    const item = { suggestion: { 2024: 1 }, answer_schema: { properties: { 2024: { type: 'integer' } } } };
    const edit = new EditSession(new Drafts('me', null), { id: 'i1', ...item });
    expect([type(edit, '{"2024":"x"}'), edit.fault]).toEqual([null, expect.stringMatching(/^2024 must/)]);
  });

  it('continues with a draft that no form can represent, and returns to the form on reset', () => {
    const edit = session({ a: 1 });
    edit.type(0, '1.');
    expect([edit.text, edit.form?.fields[0]?.typed]).toEqual(['{\n  "a": "1."\n}', '1.']);
    expect([edit.submission(), edit.fault]).toEqual([null, 'a must be a number.']);
    expect(edit.switchTo('json')).toBe(true);
    expect(edit.switchTo('form')).toBe(true);
    expect([edit.form?.fields[0]?.kind, edit.form?.fields[0]?.typed]).toEqual(['number', '1.']);
    expect(edit.switchTo('json')).toBe(true);
    edit.write('{"a":');
    expect(edit.switchTo('form')).toBe(false);
    edit.reset();
    expect(edit.form?.fields[0]?.typed).toBe('1');
  });
});

describe('TS3: an edit of digits that a double drops', () => {
  const answer_schema = { type: 'object', properties: { price: { multipleOf: 0.01 } } };
  const open = (suggestion: string, given: Partial<EditedItem> = {}) => {
    const edit = new EditSession(new Drafts('me', null), {
      ...{ id: 'i1', suggestion: parseJson(suggestion), answer_schema, ...given },
    });
    edit.reason = 'Wrong';
    return edit;
  };
  const fault = { pointer: '/price', schema_pointer: '', keyword: 'multipleOf', message: 'must be a multiple of 0.01' };

  it('is sent where the suggestion does not satisfy its schema', () => {
    const edit = open('{"price":12.340000000000000001}', { suggestion_faults: [fault] });
    edit.write('{"price":12.34}');
    expect([jsonText(edit.submission()?.output), edit.fault]).toEqual(['{"price":12.34}', null]);
    edit.write('{"price":12.3400000000000000010}');
    expect([edit.submission(), edit.fault]).toEqual([null, 'price must be a multiple of 0.01.']);
  });

  it('changes nothing elsewhere, and is judged as it is typed', () => {
    const edit = open('{"price":12.34}', { suggestion_faults: null });
    edit.write('{"price":12.340000000000000001}');
    expect([edit.submission(), edit.fault]).toEqual([null, 'price must be a multiple of 0.01.']);
    const other = open('{"price":12.340000000000000001}', { answer_schema: {} });
    other.write('{"price":12.34}');
    expect([other.submission(), other.fault]).toEqual([null, expect.stringContaining('No changes yet')]);
  });
});

function sent(edit: ReturnType<typeof readEdit>): string {
  if (!edit.ok) throw new Error(edit.fault);
  return edit.output instanceof RawJson ? edit.output.text : printJson(edit.output, 0);
}
