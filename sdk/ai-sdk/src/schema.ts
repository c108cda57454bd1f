// The JSON Schema of a tool in the version that the service reads: draft 2020-12, where the AI SDK writes draft 7.
import type { Json } from '@countersign/shared/client';

type Schema = Record<string, Json>;

/** Keywords whose value is data, not a schema. */
const DATA = new Set(['const', 'default', 'enum', 'examples']);
/** Keywords whose value names schemas: a property may be called as a keyword is. */
const NAMED = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);

/** The same schema in draft 2020-12. What has no form there, such as `dependencies`, is ignored by the service. */
export function toDraft2020(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(toDraft2020);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(Object.entries(schema).flatMap(([keyword, value]) => converted(schema, keyword, value)));
}

function converted(schema: Schema, keyword: string, value: Json): [string, Json][] {
  if (keyword === '$schema') return [];
  // Zod spells out formats as patterns, some with assertions that the service does not read. The tool checks them itself.
  if (keyword === 'pattern' && Object.hasOwn(schema, 'format')) return [];
  if (DATA.has(keyword)) return [[keyword, value]];
  if (NAMED.has(keyword) && typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const named = Object.entries(value).map(([name, member]) => [name, toDraft2020(member)] as const);
    return [[keyword, Object.fromEntries(named)]];
  }
  if (keyword === 'items' && Array.isArray(value)) return [['prefixItems', toDraft2020(value)]];
  if (keyword === 'additionalItems') return Array.isArray(schema['items']) ? [['items', toDraft2020(value)]] : [];
  return [[keyword, toDraft2020(value)]];
}
