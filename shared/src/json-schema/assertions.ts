// The keywords that test a value without looking into it by another schema.
import { codePointsOf } from '../formats/code-points.ts';
import { jsonText, type Json } from '../json/json.ts';
import {
  compareNumbers,
  isInteger,
  isMultiple,
  isNumber,
  stepsOfNumber,
  numberText,
  valueKey,
  type JsonNumber,
} from './exact-numbers.ts';
import type { Kind, Run, SchemaNode, Test, Visit } from './evaluate.ts';
import type { Matcher } from './automaton.ts';
import { shorten } from './shorten.ts';

/** A keyword as it stands in a schema. */
export interface Part {
  value: Json;
  pointer: string;
  keyword: string;
  /** The schema that it stands in. */
  siblings: Readonly<Record<string, Json>>;
  /** The compiled schema at these keys below that schema, such as `properties`, `name`. */
  child: (...keys: (string | number)[]) => SchemaNode;
  /** The compiled form of a pattern. */
  matcher: (pattern: string) => Matcher;
  /** The schema that `$ref` means. */
  target: () => SchemaNode;
}

/** What a keyword applies to, and how its test is made. */
export interface Tested {
  of: Kind | 'any';
  build: (part: Part) => Test;
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
  array: 'a list',
  object: 'an object',
};

/** “a”, “a or b”, “a, b or c”. */
export const eitherOf = (names: readonly string[]): string =>
  names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;

function isOfType(type: Json, { value, kind }: Visit, run: Run): boolean {
  if (type !== 'integer') return type === kind;
  if (!isNumber(value)) return false;
  run.spend(stepsOfNumber(value));
  return isInteger(value);
}

function typeTest({ value }: Part): Test {
  const types = Array.isArray(value) ? value : [value];
  const message = `must be ${eitherOf(types.map((type) => TYPE_NAMES[type as string] ?? ''))}`;
  return (visit, run) => types.some((type) => isOfType(type, visit, run)) || message;
}

const SHOWN_VALUES = 12;

/** A value in a message. */
const shown = (value: Json): string => shorten(jsonText(value));

const nothingSpent = (): void => {};

function enumTest({ value }: Part): Test {
  const options = value as Json[];
  const keys = new Set(options.map((option) => valueKey(option, nothingSpent)));
  const more = options.length > SHOWN_VALUES ? `, and ${options.length - SHOWN_VALUES} more` : '';
  const message =
    options.length === 0
      ? 'is not allowed: the enum of its schema is empty'
      : `must be one of: ${options.slice(0, SHOWN_VALUES).map(shown).join(', ')}${more}`;
  return (visit, run) => keys.has(valueKey(visit.value, run.spend)) || message;
}

function constTest({ value }: Part): Test {
  const key = valueKey(value, nothingSpent);
  const message = `must be ${shown(value)}`;
  return (visit, run) => valueKey(visit.value, run.spend) === key || message;
}

/** A bound of a number. */
const bound =
  (words: string, holds: (order: number) => boolean) =>
  ({ value }: Part): Test => {
    const limit = value as JsonNumber;
    const message = `must be ${words} ${shown(value)}`;
    return (visit, run) => {
      const number = visit.value as unknown as JsonNumber;
      run.spend(stepsOfNumber(number) + stepsOfNumber(limit));
      return holds(compareNumbers(number, limit)) || message;
    };
  };

function multipleTest({ value }: Part): Test {
  const step = value as JsonNumber;
  const message = `must be a multiple of ${shown(value)}`;
  return (visit, run) => isMultiple(visit.value as unknown as JsonNumber, step, run.spend) || message;
}

type Sizes = (visit: Visit, run: Run) => number;

function charactersOf({ value }: Visit, run: Run): number {
  const text = value as string;
  run.spend(text.length >> 4);
  return codePointsOf(text);
}

function patternTest({ value, matcher }: Part): Test {
  const matches = matcher(value as string);
  // As its author wrote it: only control characters stay escaped.
  const message = `must match the pattern ${shown(value).slice(1, -1).replaceAll('\\\\', '\\')}`;
  return (visit, run) => matches(visit.value as string, run.spend) || message;
}

const entriesOf: Sizes = ({ value }) => (value as Json[]).length;
const membersOf: Sizes = ({ value }, run) => {
  const { length } = Object.keys(value as object);
  run.spend(2 * length);
  return length;
};

/** A bound of a size: `unit` as one and as several. */
const size =
  (which: 'at least' | 'at most', measure: Sizes, [one, several]: readonly [string, string]) =>
  ({ value }: Part): Test => {
    // It may be spelled `2.0`; no size comes near to where a double rounds.
    const limit = Number(numberText(value as JsonNumber));
    const message = `must have ${which} ${shown(value)} ${limit === 1 ? one : several}`;
    const sign = which === 'at least' ? 1 : -1;
    return (visit, run) => sign * (measure(visit, run) - limit) >= 0 || message;
  };

const CHARACTERS = ['character', 'characters'] as const;
const ENTRIES = ['entry', 'entries'] as const;
const FIELDS = ['field', 'fields'] as const;

function uniqueTest({ value, pointer, keyword }: Part): Test {
  if (value !== true) return () => true;
  return (visit, run) => {
    const first = new Map<string, number>();
    let fits = true;
    for (const [index, entry] of (visit.value as Json[]).entries()) {
      const key = valueKey(entry, run.spend);
      const same = first.get(key);
      if (same === undefined) first.set(key, index);
      else
        fits = run.report(
          { up: visit.place, key: index },
          { keyword, pointer },
          `repeats entry ${same + 1}: each entry must be different`,
        );
    }
    return fits;
  };
}

function requiredTest({ value, pointer, keyword }: Part): Test {
  const names = value as string[];
  return (visit, run) => {
    run.spend(2 * names.length);
    const missing = names.filter((name) => !Object.hasOwn(visit.value as object, name));
    for (const name of missing) run.report({ up: visit.place, key: name }, { keyword, pointer }, 'is missing');
    return missing.length === 0;
  };
}

function dependentRequiredTest({ value, pointer, keyword }: Part): Test {
  const dependencies = Object.entries(value as Record<string, string[]>);
  return (visit, run) => {
    let fits = true;
    for (const [name, needed] of dependencies) {
      run.spend(1 + needed.length);
      if (!Object.hasOwn(visit.value as object, name)) continue;
      for (const other of needed) {
        if (Object.hasOwn(visit.value as object, other)) continue;
        const place = { up: visit.place, key: other };
        fits = run.report(place, { keyword, pointer }, `is missing: it goes with ${shown(name)}`);
      }
    }
    return fits;
  };
}

export const ASSERTIONS: Readonly<Record<string, Tested>> = {
  type: { of: 'any', build: typeTest },
  enum: { of: 'any', build: enumTest },
  const: { of: 'any', build: constTest },
  multipleOf: { of: 'number', build: multipleTest },
  maximum: { of: 'number', build: bound('at most', (order) => order <= 0) },
  exclusiveMaximum: { of: 'number', build: bound('less than', (order) => order < 0) },
  minimum: { of: 'number', build: bound('at least', (order) => order >= 0) },
  exclusiveMinimum: { of: 'number', build: bound('more than', (order) => order > 0) },
  maxLength: { of: 'string', build: size('at most', charactersOf, CHARACTERS) },
  minLength: { of: 'string', build: size('at least', charactersOf, CHARACTERS) },
  pattern: { of: 'string', build: patternTest },
  maxItems: { of: 'array', build: size('at most', entriesOf, ENTRIES) },
  minItems: { of: 'array', build: size('at least', entriesOf, ENTRIES) },
  uniqueItems: { of: 'array', build: uniqueTest },
  maxProperties: { of: 'object', build: size('at most', membersOf, FIELDS) },
  minProperties: { of: 'object', build: size('at least', membersOf, FIELDS) },
  required: { of: 'object', build: requiredTest },
  dependentRequired: { of: 'object', build: dependentRequiredTest },
};
