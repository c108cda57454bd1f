// Judges an answer by its schema as the server does (TS3), and sorts the faults by the field they belong to.
import { stepsOf } from '@countersign/shared/json/json-pointer';
import type { Json } from '@countersign/shared/json/json';
import { compileSchema } from '@countersign/shared/json-schema/compile';
import { validate, type CompiledSchema, type Fault } from '@countersign/shared/json-schema/evaluate';
import { printJson } from '../values/json/lossless.ts';

/** What is wrong at a place: a JSON pointer into the answer, and words without a subject. */
export type AnswerFault = Pick<Fault, 'pointer' | 'message'> & { readonly keyword?: string };

/** The schema that was compiled last: an editor judges one at every key. */
let last: { readonly of: Json; readonly schema: CompiledSchema | null } | null = null;

/** The faults of an answer; none where the schema cannot be read, which the server refuses to store. */
export function judgeAnswer(schema: Json, value: Json): AnswerFault[] {
  if (last?.of !== schema) {
    const compiled = compileSchema(printJson(schema, 0));
    last = { of: schema, schema: compiled.ok ? compiled.schema : null };
  }
  return last.schema === null ? [] : validate(last.schema, value);
}

/** A pointer for people: `lines 2 › unit_price`. Empty for the whole answer. */
const placeName = (pointer: string): string =>
  stepsOf(pointer)
    .map((step) => (/^\d+$/.test(step) ? String(Number(step) + 1) : step))
    .join(' › ');

/** A fault as a sentence. */
export function faultSentence({ pointer, message }: AnswerFault): string {
  const place = placeName(pointer);
  return place === '' ? `The answer ${message}.` : `${place} ${message}.`;
}

/** The messages of each field, by pointer. A fault of a place without a field is said at the nearest field around it. */
export function messagesByField(
  faults: readonly AnswerFault[],
  hasField: (pointer: string) => boolean,
): Record<string, readonly string[]> {
  const messages: Record<string, readonly string[]> = {};
  for (const { pointer, message } of faults) {
    let at = pointer;
    while (!hasField(at) && at !== '') at = at.slice(0, at.lastIndexOf('/'));
    const words = at === pointer ? `This ${message}.` : `${placeName(pointer.slice(at.length))} ${message}.`;
    messages[at] = [...(messages[at] ?? []), words];
  }
  return messages;
}
