// Tests that half-typed JSON and chosen options stay with their own entry while the entries of a list move.
import { describe, expect, it } from 'vitest';
import type { Json } from '@countersign/shared/json/json';
import { parseJson } from '../values/json/lossless.ts';
import { AnswerForm } from './answer-form.svelte.ts';
import type { Field } from './fields.ts';

function formOf(schema: unknown, text: string) {
  const written: string[] = [];
  const form = new AnswerForm({
    ...{ schema: schema as Json, original: parseJson(text), text, starts: false },
    onwrite: (now) => written.push(now),
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
    expect(written.at(-1)).toContain('{"b": ');
    expect(written.at(-1)).not.toContain('"a"');
  });

  it('goes away with its own entry', () => {
    const { form, written } = start();
    form.removeEntry(form.root, 1);
    expect(pendingOf(form)).toEqual(['', '']);
    expect(parseJson(written.at(-1) ?? '')).toEqual(parseJson('[{"a": 1}, {"c": 3}]'));
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
    expect(parseJson(written.at(-1) ?? '')).toEqual(parseJson('[{"a": 1}, {"b": 2}, {"c": 3}]'));
  });
});
