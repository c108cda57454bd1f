// Tests that a fault found by the server arrives at its field: pointers that are encoded, of tool calls, or cut.
import { describe, expect, it } from 'vitest';
import { ApiProblem } from '#lib/api/client.ts';
import { Drafts } from '#lib/drafts/drafts.ts';
import { flatFields } from '#lib/form/fields.ts';
import type { FieldError } from '@countersign/shared/errors';
import { answerFormOf, refusedFaults } from './answer-form-of.ts';
import type { EditedItem } from './edit-model.ts';
import { EditSession } from './edit-session.svelte.ts';

const NAME = 'a b/ü%~ "c"';
const ENCODED = 'a%20b~1%C3%BC%25~0%20%22c%22';
const schema = {
  type: 'object',
  properties: { [NAME]: { type: 'object', properties: { n: {} } }, list: { type: 'array', items: { type: 'string' } } },
};
const answer = { [NAME]: { n: 1 }, list: ['x', 'y'] };

const refusal = (errors: readonly Omit<FieldError, 'code'>[]) =>
  new ApiProblem(
    { status: 422, code: 'answer_invalid', errors: errors.map((error) => ({ ...error, code: 'type' })) },
    null,
  );

/** The messages beside each field, by its pointer. */
function messagesOf(item: Pick<EditedItem, 'kind' | 'suggestion'>, errors: readonly Omit<FieldError, 'code'>[]) {
  const form = answerFormOf(new EditSession(new Drafts('me', null), { id: 'i1', answer_schema: schema, ...item }));
  if (form === null) throw new Error('The schema has a form.');
  form.refused = refusedFaults(item.kind, refusal(errors));
  const fields = flatFields(form.root).map((field) => [field.pointer, form.messagesOf(field)] as const);
  return Object.fromEntries(fields.filter(([, messages]) => messages.length > 0));
}

describe('TS2: a refused answer', () => {
  const detail = 'must be a number';

  it.each([
    [`#/output/${ENCODED}/n`, '/a b~1ü%~0 "c"/n'],
    [`#/output/${ENCODED}`, '/a b~1ü%~0 "c"'],
    ['#/output/list/1', '/list/1'],
    ['#/output', ''],
  ])('has the fault at %s beside the field', (pointer, field) => {
    expect(messagesOf({ suggestion: answer }, [{ pointer, detail }])).toEqual({ [field]: ['This must be a number.'] });
  });

  it('has those of a tool call beside the fields of its arguments', () => {
    const call = { kind: 'tool_call' as const, suggestion: { name: 'pay', arguments: answer } };
    const errors = [{ pointer: `#/output/arguments/${ENCODED}/n`, detail }];
    expect(messagesOf(call, errors)).toEqual({ '/a b~1ü%~0 "c"/n': ['This must be a number.'] });
  });

  it('says of a pointer that was cut that the fault is inside', () => {
    const errors = [{ pointer: '#/output/list', detail: `contains a value that ${detail}` }];
    expect(messagesOf({ suggestion: answer }, errors)).toEqual({
      '/list': ['This contains a value that must be a number.'],
    });
  });
});
