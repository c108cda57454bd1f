// JSON as submitted: the value type, and a carrier for text that must pass through the service unchanged.
import { z } from 'zod';

/** A schema for any JSON value, with its description for the API document. */
export function anyJson(description: string) {
  // Parsed JSON needs no validation of each value, which would take longer than parsing.
  const schema = z
    .custom<z.core.util.JSONType>((value) => value !== undefined, 'This field is required.')
    .register(z.globalRegistry, { description });
  // JSON Schema expresses "any value" as an empty schema; zod would write out the recursion, twice.
  schema._zod.toJSONSchema = () => ({});
  return schema;
}

/** Any JSON value. */
export const json = anyJson('Any JSON value, stored byte for byte as submitted');
export type Json = z.infer<typeof json>;

/**
 * JSON text that is embedded in a response exactly as it arrived: number spelling and key order survive, which neither
 * `jsonb` nor parse-and-stringify guarantee (invariant I7).
 */
export class RawJson {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/**
 * `JSON.stringify` that embeds `RawJson` members unchanged. Plain data only: no cycles, and no `toJSON` except that of
 * Date.
 */
export function jsonText(value: unknown): string {
  if (value instanceof RawJson) return value.text;
  if (value instanceof Date) return JSON.stringify(value);
  if (Array.isArray(value))
    return `[${value.map((member) => jsonText(member === undefined ? null : member)).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members: string[] = [];
  for (const [key, member] of Object.entries(value)) {
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${jsonText(member)}`);
  }
  return `{${members.join(',')}}`;
}
