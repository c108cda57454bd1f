// The faults of an answer in words, for a list of them and for the fields they belong to. Loads no validator.
import { stepsOf } from '@countersign/shared/json/json-pointer';
import type { Fault } from '@countersign/shared/json-schema/evaluate';

/** What is wrong at a place: a JSON pointer into the answer, and words without a subject. */
export type AnswerFault = Pick<Fault, 'pointer' | 'message'> & { readonly keyword?: string };

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
