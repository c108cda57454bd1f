// The JSON Schema of a tool in the version that the service reads: draft 2020-12, where the AI SDK writes draft 7.
import type { Json } from '@countersign/shared/client';

type Schema = Record<string, Json>;

/** Keywords whose value is data, not a schema. */
const DATA = new Set(['const', 'default', 'enum', 'examples']);
/** Keywords whose value names schemas: a property may be called as a keyword is. */
const NAMED = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);

/** Below these, a schema that takes more would refuse more: what the service does not read stays, and is refused. */
const EXACT = new Set(['not', 'oneOf', 'if']);

/** Escapes, what the service refuses in brackets and braces, and quantifiers with their bounds. */
const PATTERN_PARTS =
  /\\(?<escaped>[^])|(?<refused>\(\?(?!:|<[\p{ID_Start}$_])|\{,\d+\})|\{(?<least>\d+),?(?<most>\d*)\}/gu;
const BACKREFERENCE = /[1-9k]/;
/** What the service reads beyond the flag u: a hyphen beside a class, escaped punctuation, literal braces. The rest is whole. */
const LENIENT =
  /(?<beside>\\(?:[dDwWsS]|[pP]\{[^{}]*\}))-|(?<whole>\\[pPu]\{[^{}]*\}|\{\d+(?:,\d*)?\})|\\(?<escaped>[^\dA-Za-z\s])|(?<bare>[{}]|-(?=\\[dDwWsSpP]))/gu;
/** The largest bound that the service takes. */
const MOST_REPEATS = 1000;

/** The same schema in draft 2020-12, without patterns that the service does not read. The tool checks them itself. */
export function toDraft2020(schema: Json, isExact = false): Json {
  if (Array.isArray(schema)) return schema.map((one) => toDraft2020(one, isExact));
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(Object.entries(schema).flatMap((member) => converted(schema, member, isExact)));
}

function converted(schema: Schema, [keyword, value]: [string, Json], isExact: boolean): [string, Json][] {
  const inner = (part: Json) => toDraft2020(part, isExact || (EXACT.has(keyword) && !isDiscriminated(value)));
  if (keyword === '$schema') return [];
  // Zod spells out formats as patterns.
  if (keyword === 'pattern' && !isExact && (Object.hasOwn(schema, 'format') || !isReadable(value))) return [];
  if (DATA.has(keyword)) return [[keyword, value]];
  if (NAMED.has(keyword) && isSchema(value)) return [[keyword, mapped(Object.entries(value), inner)]];
  if (keyword === 'dependencies' && isSchema(value)) return dependencies(Object.entries(value), inner);
  if (keyword === 'items' && Array.isArray(value)) return value.length === 0 ? [] : [['prefixItems', inner(value)]];
  if (keyword === 'additionalItems') return Array.isArray(schema['items']) ? [['items', inner(value)]] : [];
  return [[keyword, inner(value)]];
}

/** Names of members, and schemas, stand in one keyword of draft 7 and in two of draft 2020-12. */
function dependencies(members: [string, Json][], inner: (part: Json) => Json): [string, Json][] {
  const names = members.filter(([, member]) => Array.isArray(member));
  const schemas = members.filter(([, member]) => !Array.isArray(member));
  return [
    ...(names.length > 0 ? [['dependentRequired', Object.fromEntries(names)] as [string, Json]] : []),
    ...(schemas.length > 0 ? [['dependentSchemas', mapped(schemas, inner)] as [string, Json]] : []),
  ];
}

const mapped = (members: [string, Json][], inner: (part: Json) => Json): Schema =>
  Object.fromEntries(members.map(([name, member]) => [name, inner(member)]));

const isSchema = (value: Json): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether no value fits two of these, however much each takes: each is an object with another constant of one name. */
function isDiscriminated(alternatives: Json): boolean {
  if (!Array.isArray(alternatives)) return false;
  const names = new Set(alternatives.flatMap((one) => (isSchema(one) ? Object.keys(one['properties'] ?? {}) : [])));
  return [...names].some((name) => {
    const constants = alternatives.map((one) => constantsOf(one, name));
    const all = constants.flat().map((constant) => JSON.stringify(constant));
    return constants.every((some) => some.length > 0) && new Set(all).size === all.length;
  });
}

/** The values that a member of this name must have one of; none if it may have others. */
function constantsOf(schema: Json, name: string): Json[] {
  if (!isSchema(schema) || schema['type'] !== 'object') return [];
  const { required, properties } = schema;
  const member = isSchema(properties ?? null) ? (properties as Schema)[name] : undefined;
  if (!Array.isArray(required) || !required.includes(name) || !isSchema(member ?? null)) return [];
  const { const: constant, enum: several } = member as Schema;
  if (constant !== undefined) return [constant];
  return Array.isArray(several) ? several : [];
}

/** Whether the platform reads it with the flag u, beside what the service reads also without. */
function isExpression(pattern: string): boolean {
  const strict = pattern.replaceAll(LENIENT, (part, ...[beside, whole, escaped, bare]: (string | undefined)[]) =>
    whole === undefined ? `${beside ?? ''}${codeOf(escaped ?? bare ?? '-')}` : part,
  );
  try {
    return new RegExp(strict, 'u').unicode;
  } catch {
    return false;
  }
}

const codeOf = (character: string): string => `\\u{${character.codePointAt(0)?.toString(16)}}`;

function isReadable(pattern: Json): boolean {
  if (typeof pattern !== 'string') return true;
  return (
    isExpression(pattern) &&
    [...pattern.matchAll(PATTERN_PARTS)].every(({ groups = {} }) => {
      const { escaped = '', refused, least, most } = groups;
      return (
        refused === undefined &&
        !BACKREFERENCE.test(escaped) &&
        Math.max(Number(least ?? 0), Number(most ?? 0)) <= MOST_REPEATS
      );
    })
  );
}
