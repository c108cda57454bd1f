// A schema as the rows of a table: every member with its depth, type, limits and meaning.
import { count } from '#lib/format/format.ts';
import { follow, type Document, type Schema } from './openapi.ts';

export interface Field {
  name: string;
  /** The number of enclosing members. */
  depth: number;
  type: string;
  required: boolean;
  /** "1 to 100 characters", "default 20". */
  limits: string[];
  /** The only possible values, when they are few. */
  values: string[];
  description: string;
}

/**
 * A schema without references, and whether it may be null. `seen` are the references followed so far, so that a recursion ends.
 */
interface Plain {
  schema: Schema;
  nullable: boolean;
  seen: readonly string[];
}

const JSON_TYPE = 'any JSON';

/** The members of an object (of a list: of its elements) in the order of the schema, nested ones below their parent. */
export function fieldsOf(document: Document, schema: Schema): Field[] {
  return membersOf(document, plain(document, schema, []), 0);
}

/** One row for a single value: a parameter or a header. */
export function fieldOf(
  document: Document,
  given: { name: string; required?: boolean; description?: string; schema?: Schema },
): Field {
  const value = plain(document, given.schema ?? {}, []);
  const described = given.description ?? value.schema.description ?? '';
  return { ...row(document, given.name, value), required: given.required ?? false, description: described };
}

function membersOf(document: Document, value: Plain, depth: number): Field[] {
  const { schema, seen } = value;
  if (schema.items) return membersOf(document, plain(document, schema.items, seen), depth);
  const alternatives = (schema.oneOf ?? schema.anyOf ?? []).map((one) => plain(document, one, seen));
  if (alternatives.length > 0) {
    return alternatives.flatMap((one, index) => {
      const heading = { ...row(document, index === 0 ? 'either' : 'or', one), depth };
      const members = membersOf(document, one, depth + 1);
      return members.length === 0 ? [] : [heading, ...members];
    });
  }
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const inner = plain(document, member, seen);
    const required = schema.required?.includes(name) ?? false;
    return [{ ...row(document, name, inner), depth, required }, ...membersOf(document, inner, depth + 1)];
  });
}

function row(document: Document, name: string, value: Plain): Field {
  const { schema } = value;
  const inner = schema.items ? plain(document, schema.items, value.seen).schema : schema;
  return {
    name,
    depth: 0,
    type: typeOf(document, value),
    required: false,
    limits: limitsOf(schema),
    values: (inner.enum ?? (inner.const === undefined ? [] : [inner.const])).map(String),
    description: schema.description ?? '',
  };
}

/** Resolves references, removes `null` from a union, and merges `allOf`. */
function plain(document: Document, schema: Schema, seen: readonly string[]): Plain {
  const { $ref } = schema;
  if ($ref !== undefined && seen.includes($ref)) return { schema: {}, nullable: false, seen };
  const path = $ref === undefined ? seen : [...seen, $ref];
  const found = follow(document, schema);
  const merged = (found.allOf ?? []).reduce<Schema>((all, one) => ({ ...plain(document, one, path).schema, ...all }), {
    ...found,
  });
  const union = merged.anyOf ?? merged.oneOf;
  const others = union?.filter((one) => one.type !== 'null');
  if (union === undefined || others === undefined || others.length === union.length) {
    const types = Array.isArray(merged.type) ? merged.type.filter((type) => type !== 'null') : undefined;
    if (types === undefined) return { schema: merged, nullable: false, seen: path };
    const type = types.length === 1 ? types[0] : types;
    return { schema: { ...merged, type }, nullable: types.length < (merged.type?.length ?? 0), seen: path };
  }
  const { anyOf: _anyOf, oneOf: _oneOf, ...rest } = merged;
  const [only] = others;
  if (others.length > 1 || only === undefined)
    return { schema: { ...rest, anyOf: others }, nullable: true, seen: path };
  const inner = plain(document, only, path);
  return { schema: { ...inner.schema, ...rest }, nullable: true, seen: inner.seen };
}

function typeOf(document: Document, { schema, nullable, seen }: Plain): string {
  const name = nameOf(document, schema, seen);
  return nullable && name !== JSON_TYPE ? `${name} or null` : name;
}

function nameOf(document: Document, schema: Schema, seen: readonly string[]): string {
  const type = Array.isArray(schema.type) ? schema.type.join(' or ') : schema.type;
  if (schema.items) return `array of ${typeOf(document, plain(document, schema.items, seen))}`;
  if (type === 'string' && schema.format !== undefined) return schema.format;
  const members = schema.additionalProperties;
  if (type === 'object' && !schema.properties && typeof members === 'object') {
    return `object of ${typeOf(document, plain(document, members, seen))}`;
  }
  if (type !== undefined) return type;
  if (schema.const !== undefined || schema.enum) return typeof (schema.const ?? schema.enum?.[0]);
  const union = schema.anyOf ?? schema.oneOf ?? [];
  const names = new Set(union.map((one) => typeOf(document, plain(document, one, seen))));
  return names.size === 0 || names.size > 3 ? JSON_TYPE : [...names].join(' or ');
}

function limitsOf(schema: Schema): string[] {
  const items = schema.items ?? {};
  return [
    between(schema.minimum, schema.maximum, ''),
    between(schema.minLength, schema.maxLength, ' characters'),
    between(schema.minItems, schema.maxItems, ' items'),
    between(items.minLength, items.maxLength, ' characters each'),
    between(undefined, schema.maxProperties, ' properties'),
    schema.pattern !== undefined && schema.pattern.length <= 40 ? schema.pattern : '',
    schema.default === undefined ? '' : `default ${JSON.stringify(schema.default)}`,
  ].filter((limit) => limit !== '');
}

/** The range of JavaScript's safe integers is no limit of a field. */
const isLimit = (limit: number | undefined): limit is number =>
  limit !== undefined && Math.abs(limit) < Number.MAX_SAFE_INTEGER;

function between(from: number | undefined, to: number | undefined, unit: string): string {
  if (isLimit(from) && isLimit(to)) return `${count(from)} to ${count(to)}${unit}`;
  if (isLimit(to)) return `at most ${count(to)}${unit}`;
  return isLimit(from) && from > 0 ? `at least ${count(from)}${unit}` : '';
}
