// Schemas of JSON that is stored as it was submitted.
import { z } from 'zod';
import type { Json } from '../../json/json.ts';
import type { Fault } from '../../json-schema/evaluate.ts';

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

/** One reason why an answer does not satisfy its schema (TS1). */
export const answerFault = z
  .object({
    pointer: z.string().meta({ description: 'A JSON pointer into the suggestion' }),
    schema_pointer: z.string().meta({ description: 'A JSON pointer into the schema' }),
    keyword: z.string().meta({ description: 'The keyword of the schema; `budget` where checking took too many steps' }),
    message: z.string().meta({ description: 'What to change, such as `must be at least 5`' }),
  })
  .meta({ id: 'AnswerFault', description: 'Why a suggestion does not satisfy its schema' }) satisfies z.ZodType<Fault>;

/** Any JSON value. */
export const json = anyJson('Any JSON value, stored byte for byte as submitted');
