// Schemas of JSON that is stored as it was submitted.
import { z } from 'zod';
import type { Json } from '../../json/json.ts';

/** A schema for any JSON value, with its description for the API document. */
export function anyJson(description: string) {
  // Parsed JSON needs no validation of each value, which would take longer than parsing.
  const schema = z
    .custom<Json>((value) => value !== undefined, 'This field is required.')
    .register(z.globalRegistry, { description });
  // JSON Schema expresses "any value" as an empty schema; zod would write out the recursion, twice.
  schema._zod.toJSONSchema = () => ({});
  return schema;
}

/** Any JSON value. */
export const json = anyJson('Any JSON value, stored byte for byte as submitted');
