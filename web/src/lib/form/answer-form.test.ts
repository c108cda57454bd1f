// Tests what a form keeps of half-typed values, chosen options and offsets, and that none of it becomes another value.
import { describe, expect, it } from 'vitest';
import type { Json } from '@countersign/shared/json/json';
import { parseJson, printJson } from '../values/json/lossless.ts';
import { AnswerForm } from './answer-form.svelte.ts';
import { flatFields, type Field } from './fields.ts';
import type { PendingText } from './pending.ts';

function formOf(schema: unknown, text: string) {
  const written: { text: string; pending: readonly PendingText[] }[] = [];
  const form = new AnswerForm({
    ...{ schema: schema as Json, original: parseJson(text), text, pending: [], starts: false },
    onwrite: (now, pending) => written.push({ text: now, pending }),
  });
  return { form, written };
}

function entriesOf(field: Field): readonly Field[] {
  if (field.control.kind !== 'list') throw new Error(field.control.kind);
  return field.control.items;
}

const pendingOf = (form: AnswerForm): string[] => {
  const entries = entriesOf(form.root);
  return entries.map((entry) => (form.isPending(entry) ? form.jsonOf(entry) : ''));
};

describe('JSON that is half typed in an entry of a list', () => {
  const start = () => {
    const made = formOf({ type: 'array', items: {} }, '[{"a": 1}, {"b": 2}, {"c": 3}]');
    const entry = entriesOf(made.form.root)[1];
    if (entry === undefined) throw new Error('There are three.');
    made.form.writeJson(entry, '{"b": ');
    expect(pendingOf(made.form)).toEqual(['', '{"b": ', '']);
    return made;
  };

  it('goes with its entry when one before it is removed', () => {
    const { form, written } = start();
    form.removeEntry(form.root, 0);
    expect(pendingOf(form)).toEqual(['{"b": ', '']);
    expect(parseJson(written.at(-1)?.text ?? '')).toEqual(['{"b": ', { c: 3 }]);
  });

  it('goes away with its own entry', () => {
    const { form, written } = start();
    form.removeEntry(form.root, 1);
    expect(pendingOf(form)).toEqual(['', '']);
    expect(parseJson(written.at(-1)?.text ?? '')).toEqual(parseJson('[{"a": 1}, {"c": 3}]'));
  });

  it.each([
    [1, 0, ['{"b": ', '', '']],
    [1, 2, ['', '', '{"b": ']],
    [0, 2, ['{"b": ', '', '']],
    [2, 0, ['', '', '{"b": ']],
  ])('is at its place after a move from %d to %d', (from, to, expected) => {
    const { form } = start();
    form.move(form.root, from, to);
    expect(pendingOf(form)).toEqual(expected);
  });

  it('goes away when the list is reset', () => {
    const { form, written } = start();
    form.reset(form.root);
    expect(pendingOf(form)).toEqual(['', '', '']);
    expect(parseJson(written.at(-1)?.text ?? '')).toEqual(parseJson('[{"a": 1}, {"b": 2}, {"c": 3}]'));
  });
});

function fieldAt(form: AnswerForm, pointer: string): Field {
  const field = flatFields(form.root).find((each) => each.pointer === pointer);
  if (field === undefined) throw new Error(pointer);
  return field;
}

it('leaves a number in its spelling that equals a choice or a constant', () => {
  const schema = { type: 'object', properties: { level: { enum: [1, 2] }, v: { const: 1 }, b: { type: 'string' } } };
  const { form, written } = formOf(schema, '{"level":1.0,"v":1e0,"b":"x"}');
  form.type(fieldAt(form, '/b'), 'y');
  expect(printJson(parseJson(written.at(-1)?.text ?? ''), 0)).toBe('{"level":1.0,"v":1e0,"b":"y"}');
});

describe('text that is not yet a value', () => {
  const anything = { type: 'object', properties: { any: {}, b: { type: 'string' } } };

  it.each(['1, "x": 2', '{"x":', '"a" "b"', '1} , {', 'tru', '01'])('is kept as a text: %s', (typed) => {
    const { form, written } = formOf(anything, '{"any":1,"b":"y"}');
    form.writeJson(fieldAt(form, '/any'), typed);
    expect(parseJson(written.at(-1)?.text ?? '')).toEqual({ any: typed, b: 'y' });
    expect(written.at(-1)?.pending).toEqual([{ pointer: '/any', text: typed, expects: 'json' }]);
    expect(form.messagesOf(fieldAt(form, '/any'))).toEqual(['This is not valid JSON yet.']);
  });

  it('is pending until it is a value, is replaced, or is taken away', () => {
    const schema = { type: 'object', properties: { any: {}, list: { type: 'array', items: { type: 'object' } } } };
    const start = () => {
      const made = formOf(schema, '{"any":1,"list":"none"}');
      made.form.writeJson(fieldAt(made.form, '/any'), '{');
      made.form.writeJson(fieldAt(made.form, '/list'), '[');
      return made.form;
    };
    const left = (form: AnswerForm) => form.pending.map(({ pointer }) => pointer);
    const [typed, added, reset, leftOut] = [start(), start(), start(), start()];
    expect(left(typed)).toEqual(['/any', '/list']);
    typed.writeJson(fieldAt(typed, '/any'), '{}');
    expect(left(typed)).toEqual(['/list']);
    const { control } = fieldAt(added, '/list');
    if (control.kind !== 'json' || control.view === null) throw new Error(control.kind);
    added.add(fieldAt(added, '/list'), control.view);
    expect([left(added), added.value]).toEqual([['/any'], { any: 1, list: [] }]);
    reset.reset(fieldAt(reset, '/any'));
    leftOut.leaveOut(fieldAt(leftOut, '/any'));
    expect([left(reset), left(leftOut)]).toEqual([['/list'], ['/list']]);
  });

  it('is pending after a reload too, also where an option of a union takes any text', () => {
    const union: Json = { oneOf: [{ type: 'string' }, { type: 'object', properties: { a: {} } }] };
    const { form, written } = formOf({ type: 'object', properties: { u: union } }, '{"u":1}');
    form.writeJson(fieldAt(form, '/u'), '{"a":');
    const { text = '', pending = [] } = written.at(-1) ?? {};
    const again = new AnswerForm({
      schema: { type: 'object', properties: { u: union } },
      original: { u: 1 },
      text,
      pending,
      starts: false,
      onwrite: () => undefined,
    });
    expect(again.jsonOf(fieldAt(again, '/u'))).toBe('{"a":');
    expect(fieldAt(again, '/u').control).toMatchObject({ kind: 'union', chosen: -1 });
    expect(again.faults).toEqual([{ pointer: '/u', message: 'is not valid JSON yet' }]);
  });

  it('is no other option of a union on the way to a number', () => {
    const { form, written } = formOf({ type: 'object', properties: { n: { type: ['string', 'number'] } } }, '{"n":1}');
    const states = ['1.', '1.5', '', '2e'].map((typed) => {
      const { control } = fieldAt(form, '/n');
      if (control.kind !== 'union' || control.body === null) throw new Error(control.kind);
      form.type(control.body, typed);
      return [written.at(-1)?.text.replaceAll(/\s/g, ''), form.pending.length, form.messagesOf(fieldAt(form, '/n'))];
    });
    expect(states).toEqual([
      ['{"n":"1."}', 1, ['This must be a number.']],
      ['{"n":1.5}', 0, []],
      ['{}', 0, []],
      ['{"n":"2e"}', 1, ['This must be a number.']],
    ]);
  });
});

it('lists faults in the order of the fields, and one that is pending once', () => {
  const schema = {
    type: 'object',
    required: ['c'],
    properties: { a: { pattern: '^x' }, n: { type: 'number' }, c: {} },
  };
  const { form } = formOf(schema, '{"a":"y","n":"12"}');
  expect(form.faults.map(({ pointer }) => pointer)).toEqual(['/a', '/n', '/c']);
});

describe('a date that is cleared', () => {
  const schema = { type: 'array', items: { type: 'string', format: 'date-time' } };

  it('keeps its offset, also when the entries around it move', () => {
    const { form, written } = formOf(schema, '["2026-01-01T10:00:00Z","2026-01-01T10:00:00+02:00"]');
    const type = (at: number, typed: string) => form.type(fieldAt(form, `/${at}`), typed);
    type(1, '');
    form.move(form.root, 1, 0);
    type(0, '2026-05-01T09:30');
    expect(parseJson(written.at(-1)?.text ?? '')).toEqual(['2026-05-01T09:30:00+02:00', '2026-01-01T10:00:00Z']);
  });

  it('keeps the offset of the suggestion where a draft has it cleared', () => {
    const at = { type: 'object', properties: { at: { type: 'string', format: 'date-time' } } };
    const written: string[] = [];
    const original = { at: '2026-01-01T10:00:00-03:30' };
    const form = new AnswerForm({
      schema: at,
      original,
      text: '{}',
      pending: [],
      starts: false,
      onwrite: (text) => written.push(text),
    });
    form.type(fieldAt(form, '/at'), '2026-05-01T09:30');
    expect(parseJson(written.at(-1) ?? '')).toEqual({ at: '2026-05-01T09:30:00-03:30' });
  });
});

describe('a date of which a part is typed', () => {
  const text = (format: string) => ({ type: 'string', format });
  const schema = { type: 'object', properties: { due: text('date'), note: { type: 'string' } } };
  const start = '{"due":"2026-03-05","note":"x"}';
  const last = (written: readonly { text: string }[]) => printJson(parseJson(written.at(-1)?.text ?? ''), 0);

  it.each([
    ['date', '2026-03-05', 'This is not a complete date yet.'],
    ['time', '10:00:00Z', 'This is not a complete time yet.'],
    ['date-time', '2026-03-05T10:00:00+02:00', 'This is not a complete date and time yet.'],
  ])('TS4: blocks sending, and keeps a place in the draft: %s', (format, value, message) => {
    const of = { type: 'object', properties: { due: text(format), note: {} } };
    const { form, written } = formOf(of, JSON.stringify({ due: value, note: 'x' }));
    form.typePart(fieldAt(form, '/due'));
    expect(form.messagesOf(fieldAt(form, '/due'))).toEqual([message]);
    expect(form.faults.map(({ pointer }) => pointer)).toEqual(['/due']);
    expect(last(written)).toBe('{"due":"","note":"x"}');
    expect(written.at(-1)?.pending).toMatchObject([{ pointer: '/due', text: '' }]);
  });

  it('is an answer again once it is whole, and left out once it is empty', () => {
    const { form, written } = formOf(schema, start);
    const states = ['2026-04-05', ''].map((typed) => {
      form.typePart(fieldAt(form, '/due'));
      form.type(fieldAt(form, '/due'), typed);
      return [last(written), form.pending.length, form.faults.length];
    });
    expect(states).toEqual([
      ['{"due":"2026-04-05","note":"x"}', 0, 0],
      ['{"note":"x"}', 0, 0],
    ]);
  });

  it('keeps its offset', () => {
    const { form, written } = formOf(
      { type: 'object', properties: { at: text('date-time') } },
      '{"at":"2026-03-05T10:00:00+02:00"}',
    );
    form.typePart(fieldAt(form, '/at'));
    form.typePart(fieldAt(form, '/at'));
    form.type(fieldAt(form, '/at'), '2026-04-05T10:00');
    expect(last(written)).toBe('{"at":"2026-04-05T10:00:00+02:00"}');
  });

  it('is pending after a reload too', () => {
    const { form, written } = formOf(schema, start);
    form.typePart(fieldAt(form, '/due'));
    const { text: draft = '', pending = [] } = written.at(-1) ?? {};
    const again = new AnswerForm({
      ...{ schema, original: parseJson(start), text: draft, pending, starts: false },
      onwrite: (now, left) => written.push({ text: now, pending: left }),
    });
    expect(again.faults).toEqual([{ pointer: '/due', message: 'is not a complete date yet' }]);
    again.type(fieldAt(again, '/note'), 'y');
    expect([last(written), written.at(-1)?.pending.length]).toEqual(['{"due":"","note":"y"}', 1]);
    again.leaveOut(fieldAt(again, '/due'));
    expect([last(written), again.pending.length]).toEqual(['{"note":"y"}', 0]);
  });

  it('goes with its entry of a list, and away with it', () => {
    const { form, written } = formOf({ type: 'array', items: text('date') }, '["2026-01-01","2026-02-01"]');
    form.typePart(fieldAt(form, '/1'));
    form.move(form.root, 1, 0);
    expect([last(written), form.pending.map(({ pointer }) => pointer)]).toEqual(['["","2026-01-01"]', ['/0']]);
    form.removeEntry(form.root, 0);
    expect([last(written), form.pending]).toEqual(['["2026-01-01"]', []]);
  });

  it('is not put back as an empty text after null or another option', () => {
    const union = { oneOf: [text('date'), { type: 'number' }] };
    const nullable = { type: ['string', 'null'], format: 'date' };
    const { form, written } = formOf(
      { type: 'object', properties: { u: union, n: nullable } },
      '{"u":"2026-01-01","n":"2026-01-01"}',
    );
    const body = () => {
      const { control } = fieldAt(form, '/u');
      if (control.kind !== 'union' || control.body === null) throw new Error(control.kind);
      return control.body;
    };
    form.typePart(body());
    expect(fieldAt(form, '/u').control).toMatchObject({ kind: 'union', chosen: 0 });
    form.choose(fieldAt(form, '/u'), 1);
    form.type(body(), '5');
    form.typePart(fieldAt(form, '/n'));
    form.setNull(fieldAt(form, '/n'), true);
    expect([last(written), form.pending]).toEqual(['{"u":5,"n":null}', []]);
    form.setNull(fieldAt(form, '/n'), false);
    expect([last(written), form.pending]).toEqual(['{"u":5}', []]);
  });
});
