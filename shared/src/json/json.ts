// JSON as submitted: the value type, and a carrier for text that must pass through the service unchanged.

/** Any JSON value. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

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

/** Stored JSON text as a member of an answer: the JSON writer inserts it unchanged (I7), so its type is any JSON value. */
export const rawJson = <T = Json>(text: string): T => new RawJson(text) as T;

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
