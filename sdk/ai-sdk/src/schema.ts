// The JSON Schema of a tool in the version that the service reads: draft 2020-12, where the AI SDK writes draft 7.
import type { Json } from '@countersign/shared/client';

type Schema = Record<string, Json>;

/** Keywords whose value is data, not a schema. */
const DATA = new Set(['const', 'default', 'enum', 'examples']);
/** Keywords whose value names schemas: a property may be called as a keyword is. */
const NAMED = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);

/** Escapes, and groups that are neither plain nor named: assertions that look around, and flags. */
const PATTERN_PARTS = /\\([^])|\(\?(?!:|<[\p{ID_Start}$_])/gu;
const BACKREFERENCE = /[1-9k]/;

/** The same schema in draft 2020-12, without patterns that the service does not read. The tool checks them itself. */
export function toDraft2020(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(toDraft2020);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(Object.entries(schema).flatMap(([keyword, value]) => converted(schema, keyword, value)));
}

function converted(schema: Schema, keyword: string, value: Json): [string, Json][] {
  if (keyword === '$schema') return [];
  // Zod spells out formats as patterns.
  if (keyword === 'pattern' && (Object.hasOwn(schema, 'format') || !isReadable(value))) return [];
  if (DATA.has(keyword)) return [[keyword, value]];
  if (NAMED.has(keyword) && isSchema(value)) return [[keyword, named(Object.entries(value))]];
  if (keyword === 'dependencies' && isSchema(value)) return dependencies(value);
  if (keyword === 'items' && Array.isArray(value)) return [['prefixItems', toDraft2020(value)]];
  if (keyword === 'additionalItems') return Array.isArray(schema['items']) ? [['items', toDraft2020(value)]] : [];
  return [[keyword, toDraft2020(value)]];
}

/** Names of members, and schemas, stand in one keyword of draft 7 and in two of draft 2020-12. */
function dependencies(value: Schema): [string, Json][] {
  const [names, schemas] = [true, false].map((areNames) =>
    Object.entries(value).filter(([, member]) => Array.isArray(member) === areNames),
  ) as [[string, Json][], [string, Json][]];
  const both: [string, Schema][] = [
    ['dependentRequired', Object.fromEntries(names)],
    ['dependentSchemas', named(schemas)],
  ];
  return both.filter(([, members]) => Object.keys(members).length > 0);
}

const named = (schemas: [string, Json][]): Schema =>
  Object.fromEntries(schemas.map(([name, member]) => [name, toDraft2020(member)]));

const isSchema = (value: Json): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value);

function isReadable(pattern: Json): boolean {
  if (typeof pattern !== 'string') return true;
  return [...pattern.matchAll(PATTERN_PARTS)].every(([, escaped = '1']) => !BACKREFERENCE.test(escaped));
}
