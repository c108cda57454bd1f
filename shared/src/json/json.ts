// JSON as submitted: the value type, and a carrier for text that must cross the service unchanged.
import { z } from 'zod';

/** A schema for any JSON value, with what it means here for the readers of the API's description. */
export function anyJson(description: string) {
  // What is parsed from JSON needs no second look at each of its values, which would take longer than parsing them.
  const schema = z
    .custom<z.core.util.JSONType>((value) => value !== undefined, 'This field is required.')
    .register(z.globalRegistry, { description });
  // JSON Schema says “any value” by saying nothing; zod would spell out the recursion, twice.
  schema._zod.toJSONSchema = () => ({});
  return schema;
}

/** Any JSON value. */
export const json = anyJson('Any JSON value, kept byte for byte as submitted');
export type Json = z.infer<typeof json>;

/**
 * JSON text that is embedded in an answer exactly as it arrived: number spelling and key order survive,
 * which neither `jsonb` nor parse-and-stringify guarantee (invariant I7).
 */
export class RawJson {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** `JSON.stringify` that splices `RawJson` members in unchanged. Plain data only: no cycles, no `toJSON` but Date's. */
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
