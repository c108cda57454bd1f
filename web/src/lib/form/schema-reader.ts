// Reads a JSON Schema for a form: follows references and merges `allOf` into one object of keywords per place.
import { stepsOf } from '@countersign/shared/json/json-pointer';
import {
  entriesOf,
  isArray,
  isObject,
  kindOf,
  objectOf,
  type JsonKind,
  type JsonObject,
} from '#lib/values/json/lossless.ts';
import type { Json } from '@countersign/shared/json/json';

/** References and `allOf` inside one another that are followed; a schema that has more is shown as JSON. */
const MAX_STEPS = 40;

/** The keywords that say how a place looks; those of the schema that refers win over those of the one it refers to. */
export type View = JsonObject;

/** Reads the schemas of one document. */
export class SchemaReader {
  readonly #document: Json;
  readonly #anchors: Record<string, Json> = {};

  constructor(document: Json) {
    this.#document = document;
    this.#collectAnchors(document);
  }

  /** The keywords that apply to a place: null where no form can say what it takes. */
  view(schema: Json | undefined, steps = 0): View | null {
    if (!isObject(schema ?? null) || steps > MAX_STEPS) return null;
    const { $ref: reference, allOf, ...own } = schema as JsonObject;
    const parts: Json[] = [own];
    if (reference !== undefined) parts.push(this.#target(reference) ?? false);
    if (allOf !== undefined) parts.push(...(isArray(allOf) ? allOf : [false]));
    const [first, ...rest] = parts.map((part, at) => (at === 0 ? own : this.view(part, steps + 1)));
    return rest.reduce<View | null>(
      (merged, part) => (merged === null || part === null ? null : merge(merged, part)),
      first ?? null,
    );
  }

  #target(reference: Json): Json | undefined {
    if (typeof reference !== 'string') return undefined;
    const base = isObject(this.#document) ? this.#document.$id : undefined;
    const local = typeof base === 'string' && reference.startsWith(base) ? reference.slice(base.length) : reference;
    if (local === '#' || local === '') return this.#document;
    if (!local.startsWith('#')) return undefined;
    if (!local.startsWith('#/')) return this.#anchors[local.slice(1)];
    return stepsOf(decodeURIComponent(local)).reduce<Json | undefined>(memberOf, this.#document);
  }

  #collectAnchors(value: Json): void {
    if (isArray(value)) for (const member of value) this.#collectAnchors(member);
    else if (isObject(value)) {
      if (typeof value.$anchor === 'string') this.#anchors[value.$anchor] ??= value;
      for (const member of Object.values(value)) this.#collectAnchors(member);
    }
  }
}

/** The member of an object or the entry of a list. */
export function memberOf(value: Json | undefined, step: string | number): Json | undefined {
  if (value === undefined) return undefined;
  if (isArray(value)) return value[Number(step)];
  return isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}

/** Both apply. Bounds are hints here, and the validator has the last word. */
function merge(one: View, other: View): View {
  const merged: View = { ...other, ...one };
  for (const [name, value] of entriesOf(other)) {
    const own = memberOf(one, name);
    if (own === undefined) continue;
    merged[name] = MERGED[name]?.(own, value) ?? own;
  }
  return inOrder(merged, one, other);
}

type Merged = (one: Json, other: Json) => Json;
const both: Merged = (one, other) => ({ allOf: [one, other] });

const bothByName: Merged = (one, other) => {
  if (!isObject(one) || !isObject(other)) return one;
  const names = [...new Set([...entriesOf(one), ...entriesOf(other)].map(([name]) => name))];
  return objectOf(
    names.map((name): [string, Json] => {
      const [left, right] = [memberOf(one, name), memberOf(other, name)];
      return [name, left !== undefined && right !== undefined ? both(left, right) : (left ?? right ?? true)];
    }),
  );
};

const MERGED: Readonly<Record<string, Merged>> = {
  properties: bothByName,
  patternProperties: bothByName,
  required: (one, other) =>
    isArray(one) && isArray(other) ? [...one, ...other.filter((name) => !one.includes(name))] : one,
  items: both,
  additionalProperties: (one, other) => (one === false || other === false ? false : both(one, other)),
  type: (one, other) => {
    const [left, right] = [listOf(one), listOf(other)];
    const shared = left.filter((name) => right.includes(name));
    return shared.length > 0 ? shared : one;
  },
};

/** The properties of what is referred to come after a schema's own. */
const inOrder = (merged: View, one: View, other: View): View =>
  memberOf(one, 'properties') === undefined && memberOf(other, 'properties') !== undefined
    ? { ...merged, properties: other.properties ?? {} }
    : merged;

/** A keyword whose value is one or a list. */
export const listOf = (value: Json | undefined): Json[] =>
  value === undefined ? [] : isArray(value) ? value : [value];

const OF_KEYWORDS: readonly [JsonKind, readonly string[]][] = [
  ['object', ['properties', 'required', 'additionalProperties', 'patternProperties', 'minProperties']],
  ['array', ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems']],
  ['string', ['minLength', 'maxLength', 'pattern', 'format']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
];

/** The kinds of values that a place takes, as far as its keywords tell; `integer` counts as a number. */
export function kindsOf(view: View): JsonKind[] {
  const named = listOf(view.type).map((name) => (name === 'integer' ? 'number' : name)) as JsonKind[];
  if (named.length > 0) return [...new Set(named)];
  if (view.const !== undefined) return [kindOf(view.const)];
  if (view.enum !== undefined) return [...new Set(listOf(view.enum).map(kindOf))];
  return OF_KEYWORDS.filter(([, names]) => names.some((name) => Object.hasOwn(view, name))).map(([kind]) => kind);
}

/** A keyword that is a text. */
export const textOf = (view: View, name: string): string | null => {
  const value = memberOf(view, name);
  return typeof value === 'string' && value !== '' ? value : null;
};
