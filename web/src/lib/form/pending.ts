// Text of a field that is no value of its kind yet. It is kept in the answer as a text, and blocks sending. Pure.
import { stepsOf } from '@countersign/shared/json/json-pointer';
import type { Json } from '@countersign/shared/json/json';
import { parseJson } from '#lib/values/json/lossless.ts';
import type { AnswerFault } from './answer-faults.ts';
import type { DateInput } from './fields.ts';
import { valueAt, withValue } from './paths.ts';

/** What a person has typed so far at a place, and what belongs there. */
export interface PendingText {
  /** A JSON pointer into what is edited. */
  readonly pointer: string;
  /** Empty for a part of a date: the browser tells only that there is one. */
  readonly text: string;
  readonly expects: 'json' | 'number' | 'choice' | DateInput;
}

const MESSAGES: Readonly<Record<PendingText['expects'], string>> = {
  json: 'is not valid JSON yet',
  number: 'must be a number',
  choice: 'must be one of the choices',
  date: 'is not a complete date yet',
  time: 'is not a complete time yet',
  'datetime-local': 'is not a complete date and time yet',
};

/** Whether a value that was stored is such a text. */
export function isPendingText(stored: unknown): stored is PendingText {
  if (typeof stored !== 'object' || stored === null) return false;
  const { pointer, text, expects }: Partial<Record<keyof PendingText, unknown>> = stored;
  const isKnown = typeof expects === 'string' && Object.hasOwn(MESSAGES, expects);
  return typeof pointer === 'string' && typeof text === 'string' && isKnown;
}

/** Whether a pointer is another one, or leads to a place in it. */
export const isWithin = (pointer: string, outer: string): boolean =>
  pointer === outer || pointer.startsWith(`${outer}/`);

/** Why the answer cannot be sent: its faults, except at the places where something is pending. */
export const withPendingFaults = (judged: readonly AnswerFault[], pending: readonly PendingText[]): AnswerFault[] => [
  ...pending.map(({ pointer, expects }) => ({ pointer, message: MESSAGES[expects] })),
  ...judged.filter((fault) => !pending.some(({ pointer }) => isWithin(fault.pointer, pointer))),
];

/** The value with each of the texts at its place, as a text: spliced as it is, `1, "b": 2` would become two members. */
export const withPending = (value: Json | undefined, pending: readonly PendingText[]): Json | undefined =>
  pending.reduce<Json | undefined>((whole, { pointer, text }) => withValue(whole, stepsOf(pointer), text), value);

/** The texts that are still at their places in JSON text that was changed elsewhere; all of them while it cannot be parsed. */
export function stillPending(pending: readonly PendingText[], json: string): readonly PendingText[] {
  if (pending.length === 0) return pending;
  try {
    const value = parseJson(json);
    return pending.filter(({ pointer, text }) => valueAt(value, stepsOf(pointer)) === text);
  } catch {
    return pending;
  }
}
