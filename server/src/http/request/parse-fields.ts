// Validates path, query and body with the schemas of the contract, and reports errors field by field.
import { z } from 'zod';
import type { Endpoint } from '@countersign/shared/contract/endpoint';
import { Refusal } from '@countersign/shared/errors';
import { fieldErrors, firstOf } from '@countersign/shared/formats/field-errors';

/** The parameters of a path. Errors: `invalid_id`. */
export function parsePath<P>(schema: z.ZodType<P> | null, params: Record<string, string>): P {
  if (schema === null) return undefined as P;
  const parsed = schema.safeParse(params);
  if (!parsed.success) throw new Refusal('invalid_id', 'IDs in the path must be UUIDs.');
  return parsed.data;
}

const NO_PARAMETERS = z.strictObject({});

/**
 * The parameters after the `?`. A pipeline may send no others than its endpoint has: a misspelt or misplaced one, such as a
 * `wait` on a submission, would look as if it had worked. Errors: `validation_failed`.
 */
export function parseQuery<Q>({ query, auth }: Pick<Endpoint<unknown, Q>, 'query' | 'auth'>, given: unknown): Q {
  if (query === null && auth === 'api_key') parseFields(NO_PARAMETERS, given, '#/query');
  return parseFields(query, given, '#/query');
}

/** Validates fields with their schema. Errors: `validation_failed` with a pointer below `root` for each error. */
export function parseFields<T>(schema: z.ZodType<T> | null, value: unknown, root: string): T {
  if (schema === null) return undefined as T;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const errors = fieldErrors(parsed.error, root);
  throw new Refusal('validation_failed', firstOf(errors), { errors });
}
