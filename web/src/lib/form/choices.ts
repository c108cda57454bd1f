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

/** The choices with a text in their names, by index; those of exactly this name come first. */
export function searchChoices(choices: readonly Choice[], typed: string): number[] {
  const text = typed.trim().toLowerCase();
  const found = choices.flatMap(({ label }, at) => (label.toLowerCase().includes(text) ? [at] : []));
  const named = new Set(found.filter((at) => choices[at]?.label.trim().toLowerCase() === text));
  return [...named, ...found.filter((at) => !named.has(at))];
}

/** The choice that a text means: that of its spelling, else of its name in any case, else the only one with the text in it. */
export function choiceOf(choices: readonly Choice[], typed: string): number | undefined {
  const text = typed.trim();
  if (text === '') return undefined;
  const found = searchChoices(choices, text);
  const nameOf = (at: number) => choices[at]?.label.trim() ?? '';
  const spelled = found.filter((at) => nameOf(at) === text);
  const named = found.filter((at) => nameOf(at).toLowerCase() === text.toLowerCase());
  const meant = [spelled, named, found].find(({ length }) => length > 0) ?? [];
  return meant.length === 1 ? meant[0] : undefined;
}

/** A text as it is; an empty one, and anything else, as JSON. */
export const nameOfValue = (json: Json): string =>
  typeof json === 'string' && json.trim() !== '' ? json : JSON.stringify(json);

/** A text that two values share only where the validator takes them as equal, as it does `1.0` and `1`. */
export const keyOf = (json: Json): string => valueKey(json, () => undefined);
