// The values of an enum, or of a union of constants with titles, as choices with a name each. Pure.
import { isObject, isScalar } from '#lib/values/json/lossless.ts';
import type { Json } from '@countersign/shared/json/json';
import { valueKey } from '@countersign/shared/json-schema/exact-numbers';
import { listOf, textOf, type View } from './schema-reader.ts';

export interface Choice {
  readonly label: string;
  readonly description: string | null;
  readonly json: Json;
}

/** Up to this many are radio buttons, which digits choose; more are a list to search. */
export const RADIO_CHOICES = 5;

/** The choices of a place; null where it has none, or where they are not plain values. */
export function choicesOf(view: View): Choice[] | null {
  if (view.enum !== undefined) {
    const values = listOf(view.enum);
    return values.every(isScalar)
      ? values.map((json) => ({ label: nameOfValue(json), description: null, json }))
      : null;
  }
  const options = listOf(view.oneOf ?? view.anyOf);
  if (options.length === 0) return null;
  const choices = options.map(constantOf);
  return choices.every((choice) => choice !== null) ? choices : null;
}

function constantOf(option: Json): Choice | null {
  if (!isObject(option) || option.const === undefined || !isScalar(option.const)) return null;
  const json = option.const;
  return { label: textOf(option, 'title') ?? nameOfValue(json), description: textOf(option, 'description'), json };
}

/** A text as it is; an empty one, and anything else, as JSON. */
export const nameOfValue = (json: Json): string =>
  typeof json === 'string' && json.trim() !== '' ? json : JSON.stringify(json);

/** A text that two values share only where the validator takes them as equal, as it does `1.0` and `1`. */
export const keyOf = (json: Json): string => valueKey(json, () => undefined);
