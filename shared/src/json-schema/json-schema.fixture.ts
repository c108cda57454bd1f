// Random schemas of every supported kind, each with values that satisfy it.
import fc from 'fast-check';
import type { Json } from '../json/json.ts';

export interface SchemaWithValues {
  schema: Json;
  /** At least one; each satisfies the schema. */
  values: Json[];
}

type Arb = fc.Arbitrary<SchemaWithValues>;

/** A schema for these values, with keywords that hold for all of them. */
const integers: Arb = fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 1, maxLength: 3 }).map((values) => ({
  schema: { type: 'integer', minimum: Math.min(...values), exclusiveMaximum: Math.max(...values) + 0.5, multipleOf: 1 },
  values,
}));

const decimals: Arb = fc
  .array(fc.integer({ min: -10_000, max: 10_000 }), { minLength: 1, maxLength: 3 })
  .map((cents) => {
    const values = cents.map((count) => count / 100);
    return { schema: { type: ['number', 'null'], multipleOf: 0.01, maximum: Math.max(...values) }, values };
  });

const texts: Arb = fc
  .array(fc.string({ unit: 'grapheme', maxLength: 6 }), { minLength: 1, maxLength: 3 })
  .map((values) => {
    const lengths = values.map((text) => [...text].length);
    return { schema: { type: 'string', minLength: Math.min(...lengths), maxLength: Math.max(...lengths) }, values };
  });

const codes: Arb = fc
  .array(fc.stringMatching(/^[A-Z]{2}\d{1,4}$/), { minLength: 1, maxLength: 3 })
  .map((values) => ({ schema: { pattern: '^[A-Z]{2}\\d{1,4}$' }, values }));

const options: Arb = fc
  .array(fc.jsonValue({ maxDepth: 1 }), { minLength: 1, maxLength: 3 })
  .map((values) => JSON.parse(JSON.stringify(values)) as Json[])
  .map((values) => ({ schema: (values.length === 1 ? { const: values[0] } : { enum: values }) as Json, values }));

function listOf(entries: Arb): Arb {
  return entries.map(({ schema, values }) => ({
    schema: { type: 'array', items: schema, maxItems: values.length, contains: schema, minContains: 0 },
    values: [[], values, values.slice(0, 1)],
  }));
}

function tupleOf(first: Arb, rest: Arb): Arb {
  return fc.tuple(first, rest).map(([one, other]) => ({
    schema: { prefixItems: [one.schema], items: other.schema, minItems: 1 },
    values: one.values.map((value) => [value, ...other.values]),
  }));
}

const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'amount', 'x/y', '__proto__', '1', 'toString'), {
  minLength: 1,
  maxLength: 3,
});

function objectOf(members: Arb, isOpen: boolean): Arb {
  return fc.tuple(names, fc.array(members, { minLength: 3, maxLength: 3 })).map(([keys, parts]) => {
    const pick = <T>(of: (part: SchemaWithValues) => T) =>
      Object.fromEntries(keys.map((key, index) => [key, of(parts[index] as SchemaWithValues)] as const));
    return {
      schema: {
        properties: pick(({ schema }) => schema),
        required: keys,
        ...(isOpen
          ? { unevaluatedProperties: false }
          : { additionalProperties: false, propertyNames: { maxLength: 9 } }),
      },
      values: [pick(({ values }) => values[0] ?? null), pick(({ values }) => values.at(-1) ?? null)],
    };
  });
}

function combined(parts: Arb): Arb {
  return fc
    .tuple(parts, parts, fc.constantFrom('allOf', 'anyOf', 'oneOf', 'if', 'not', '$ref'))
    .map(([one, other, keyword]) => ({ schema: wrapped(keyword, one.schema, other.schema), values: one.values }));
}

/** A schema for the values of `schema`. */
function wrapped(keyword: string, schema: Json, other: Json): Json {
  if (keyword === 'allOf') return { allOf: [schema, true], title: 'Both' };
  if (keyword === 'anyOf') return { anyOf: [other, schema] };
  if (keyword === 'oneOf') return { oneOf: [schema, { allOf: [other, false] }] };
  if (keyword === 'if') return { if: schema, then: { not: { not: schema } }, else: false };
  return keyword === 'not'
    ? { allOf: [schema], not: { const: 'no generated value has this text' } }
    : { allOf: [{ $comment: '…' }, schema] };
}

/** `depth` levels of lists, objects and combinations. */
function schemasOf(depth: number): Arb {
  const leaves = fc.oneof(integers, decimals, texts, codes, options);
  if (depth === 0) return leaves;
  const inner = schemasOf(depth - 1);
  return fc.oneof(
    leaves,
    listOf(inner),
    tupleOf(inner, inner),
    objectOf(inner, true),
    objectOf(inner, false),
    combined(inner),
  );
}

/** Nested at most 16 levels, as schemas are. */
export const schemasWithValues: Arb = schemasOf(3).map(({ schema, values }) => ({
  schema: { $defs: { of: schema }, $ref: '#/$defs/of' },
  values,
}));
