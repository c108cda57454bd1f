// Judges what was asked by the schemas of the contract, and says what is wrong with it, field by field.
import type { z } from 'zod';
import { Refusal, type FieldError } from '@countersign/shared/errors';

/** The parameters of a path. Errors: `invalid_id`. */
export function parsePath<P>(schema: z.ZodType<P> | null, params: Record<string, string>): P {
  if (schema === null) return undefined as P;
  const parsed = schema.safeParse(params);
  if (!parsed.success) throw new Refusal('invalid_id', 'Ids in the path are UUIDs.');
  return parsed.data;
}

/** Judges fields by their schema. Errors: `validation_failed` with a pointer below `root` for each fault. */
export function parseFields<T>(schema: z.ZodType<T> | null, value: unknown, root: string): T {
  if (schema === null) return undefined as T;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.flatMap((issue) => fieldErrors(issue, root));
  const first = errors[0];
  throw new Refusal('validation_failed', first ? `${first.pointer}: ${first.detail}` : 'Check the fields.', { errors });
}

/** So many unknown fields are named: a body has room for thousands, and the answer shall not grow with it. */
const MAX_UNKNOWN = 20;

function fieldErrors(issue: z.core.$ZodIssue, root: string): FieldError[] {
  const pointer = [root, ...issue.path.map((part) => escapePointer(String(part)))].join('/');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, MAX_UNKNOWN).map((key) => ({
      pointer: `${pointer}/${escapePointer(key)}`,
      code: 'unknown_field',
      detail: 'There is no such field. Check the spelling.',
    }));
  }
  // What may be any JSON is a union to zod: when it is missing, its branches say so.
  const branches =
    issue.code === 'invalid_union' ? issue.errors.flat().filter(({ path }) => path.length === 0) : [issue];
  const missing = branches.some((one) => one.code === 'invalid_type' && one.message.includes('received undefined'));
  return [
    missing
      ? { pointer, code: 'required', detail: 'This field is required.' }
      : { pointer, code: issue.code, detail: issue.message },
  ];
}

const escapePointer = (part: string) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
