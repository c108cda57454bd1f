// The faults of an answer in words, for a list of them and for the fields they belong to. Loads no validator.
import { stepsOf } from '@countersign/shared/json/json-pointer';
import type { Json } from '@countersign/shared/json/json';
import { isArray } from '#lib/values/json/lossless.ts';
import type { Fault } from '@countersign/shared/json-schema/evaluate';
import { valueAt } from './paths.ts';
import { memberOf } from './schema-reader.ts';

/** What is wrong at a place: a JSON pointer into the answer, and words without a subject. */
export type AnswerFault = Pick<Fault, 'pointer' | 'message'> & { readonly keyword?: string };

/**
 * A pointer for people: `lines › 2 › unit_price`. Empty for the whole value. Only the value tells an entry of a list, which counts
 * from one, from a key of digits.
 */
function placeName(pointer: string, value: Json | undefined): string {
  let around = value;
  const names = stepsOf(pointer).map((step) => {
    const isEntry = around !== undefined && isArray(around) && /^\d+$/.test(step);
    around = memberOf(around, step);
    return isEntry ? String(Number(step) + 1) : step;
  });
  return names.join(' › ');
}

/** A fault as a sentence. `value`: what its pointer leads into; undefined where that is not known. */
export function faultSentence({ pointer, message }: AnswerFault, value: Json | undefined): string {
  const place = placeName(pointer, value);
  return place === '' ? `The answer ${message}.` : `${place} ${message}.`;
}

/** The messages of each field, by pointer. A fault of a place without a field is said at the nearest field around it. */
export function messagesByField(
  faults: readonly AnswerFault[],
  hasField: (pointer: string) => boolean,
  value: Json | undefined,
): Record<string, readonly string[]> {
  const messages: Record<string, readonly string[]> = {};
  for (const { pointer, message } of faults) {
    let at = pointer;
    while (!hasField(at) && at !== '') at = at.slice(0, at.lastIndexOf('/'));
    const place = placeName(pointer.slice(at.length), valueAt(value, stepsOf(at)));
    const words = at === pointer ? `This ${message}.` : `${place} ${message}.`;
    messages[at] = [...(messages[at] ?? []), words];
  }
  return messages;
}
