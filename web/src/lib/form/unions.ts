// The options of `oneOf`, `anyOf` and of several types: their names, and which one a value is. Pure.
import { entriesOf, isArray, isObject, isScalar, kindOf, type JsonKind } from '#lib/values/json/lossless.ts';
import type { Json } from '@countersign/shared/json/json';
import { choicesOf, keyOf, nameOfValue } from './choices.ts';
import { kindsOf, listOf, memberOf, textOf, type SchemaReader, type View } from './schema-reader.ts';

export interface UnionOption {
  /** Its title, else its constants, else its kind or number. */
  readonly name: string;
  readonly view: View;
}

const KIND_NAMES: Readonly<Record<JsonKind, string>> = {
  string: 'Text',
  number: 'Number',
  boolean: 'Yes or no',
  null: 'Nothing',
  array: 'List',
  object: 'Object',
};

interface Options {
  readonly options: UnionOption[];
  readonly nullable: boolean;
}

const NO_OPTIONS: Options = { options: [], nullable: false };
/** Options inside one another that are shown as one choice: a schema may be an option of itself. */
const MAX_NESTED = 2;

/**
 * The options of a place, without the one that is null. None: it is not a union. `nullable`: null is one of its values, and another
 * kind is too.
 */
export function optionsOf(view: View, reader: SchemaReader, nested = 0): Options {
  if (choicesOf(view) !== null) return { options: [], nullable: false };
  const branches = listOf(view.oneOf ?? view.anyOf);
  if (branches.length === 0) return ofTypes(view);
  const { oneOf: _one, anyOf: _any, ...base } = view;
  const views = branches.map((branch) => reader.view({ allOf: [branch, base] }));
  const shaped = branches.map((branch) => shapes(reader.view(branch)));
  // Branches that only say which members go together: the fields are those of the schema around them.
  if (!shaped.every(Boolean) || views.some((option) => option === null)) return { options: [], nullable: false };
  const all = views.filter((option) => option !== null);
  const nullable = all.some(isNull) && !all.every(isNull);
  const others = branches.filter((_, at) => !nullable || !isNull(all[at] ?? {}));
  const [single] = others;
  // The schema around a value that may also be null names it.
  const only = others.length === 1 && single !== undefined ? reader.view({ allOf: [base, single] }) : null;
  if (only !== null) return { nullable, options: [{ name: '', view: only }] };
  const present = all.filter((option) => !nullable || !isNull(option));
  const { title: outer } = base;
  const names = present.map((option, at) => ownTitle(option, outer) ?? nameOf(option, at, present));
  const inner = present.map((option) => (nested < MAX_NESTED ? optionsOf(option, reader, nested + 1) : NO_OPTIONS));
  return {
    nullable: nullable || inner.some((each) => each.nullable),
    options: present.flatMap((option, at) =>
      flattened({ name: names[at] ?? '', view: option }, inner[at]?.options ?? []),
    ),
  };
}

/** The options of an option are further ones: `Card`, `Transfer › SEPA`, `Transfer › Wire`. */
function flattened(option: UnionOption, inner: readonly UnionOption[]): UnionOption[] {
  if (inner.length === 0) return [option];
  return inner.map(({ name, view }) => ({ view, name: name === '' ? option.name : `${option.name} › ${name}` }));
}

function ofTypes(view: View): Options {
  const types = listOf(view.type);
  const kinds = types.filter((type) => type !== 'null') as string[];
  const nullable = kinds.length < types.length && kinds.length > 0;
  const several = kinds.length > 1 && !(kinds.length === 2 && kinds.includes('integer') && kinds.includes('number'));
  if (!several) return { options: [], nullable };
  const options = kinds.map((type) => ({
    name: KIND_NAMES[(type === 'integer' ? 'number' : type) as JsonKind],
    view: { ...view, type },
  }));
  return { options, nullable };
}

/** Whether a branch says what the value is, and not only how its members depend on each other. */
const shapes = (view: View | null): boolean =>
  view !== null &&
  ['type', 'properties', 'items', 'const', 'enum', 'oneOf', 'anyOf', 'pattern', 'format', 'minimum', 'maximum'].some(
    (name) => Object.hasOwn(view, name),
  );

const isNull = (view: View): boolean => {
  const kinds = kindsOf(view);
  return kinds.length === 1 && kinds[0] === 'null';
};

/** The option's own title; the one around them names the field. */
function ownTitle(view: View, outer: Json | undefined): string | null {
  const title = textOf(view, 'title');
  return title === outer ? null : title;
}

function nameOf(view: View, at: number, all: readonly View[]): string {
  const constants = discriminatorsOf(view).map(({ json }) => nameOfValue(json));
  if (constants.length > 0) return constants.join(', ');
  const kinds = kindsOf(view);
  const [kind] = kinds;
  const alone =
    kind !== undefined && kinds.length === 1 && all.filter((each) => kindsOf(each)[0] === kind).length === 1;
  return alone ? KIND_NAMES[kind] : `Option ${at + 1}`;
}

/** The members that have only one value. */
function discriminatorsOf(view: View): { key: string; json: Json }[] {
  const properties = isObject(view.properties ?? null) ? entriesOf(view.properties as View) : [];
  return properties.flatMap(([key, schema]) => {
    if (!isObject(schema)) return [];
    const values = schema.const === undefined ? listOf(schema.enum) : [schema.const];
    const [json] = values;
    return json !== undefined && values.length === 1 && isScalar(json) ? [{ key, json }] : [];
  });
}

/** The option that a value is, by its kind, its constants and its members; -1 where it is none. Without a value: none. */
export function pickOption(options: readonly UnionOption[], value: Json | undefined): number {
  if (value === undefined || value === null) return -1;
  const scores = options.map(({ view }) => scoreOf(view, value));
  const best = Math.max(...scores);
  return best < 0 ? -1 : scores.indexOf(best);
}

const NO_FIT = -1;
const FITTING_CONSTANT = 10;

function scoreOf(view: View, value: Json): number {
  const kinds = kindsOf(view);
  if (kinds.length > 0 && !kinds.includes(kindOf(value))) return NO_FIT;
  if (isArray(value)) return 1;
  if (!isObject(value)) return scalarScore(view, value);
  const constants = discriminatorsOf(view);
  const given = constants.filter(({ key }) => Object.hasOwn(value, key));
  if (given.some(({ key, json }) => keyOf(memberOf(value, key) ?? null) !== keyOf(json))) return NO_FIT;
  const named = isObject(view.properties ?? null) ? Object.keys(view.properties as View) : [];
  const known = Object.keys(value).filter((key) => named.includes(key)).length;
  const missing = listOf(view.required).filter((key) => !(typeof key === 'string' && Object.hasOwn(value, key))).length;
  return Math.max(0, FITTING_CONSTANT * given.length + known - missing);
}

function scalarScore(view: View, value: Json): number {
  const allowed = view.const === undefined ? listOf(view.enum) : [view.const];
  if (allowed.length === 0) return 1;
  const key = keyOf(value);
  return allowed.some((each) => keyOf(each) === key) ? FITTING_CONSTANT : NO_FIT;
}
