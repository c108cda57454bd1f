// Validates path, query and body with the schemas of the contract, and reports errors field by field.
import { escapePart } from '@countersign/shared/json/json-pointer';
import { unlisted } from '@countersign/shared/formats/unlisted';
import { shorten } from '@countersign/shared/json-schema/shorten';
import type { z } from 'zod';
import { Refusal, type FieldError } from '@countersign/shared/errors';

/** The parameters of a path. Errors: `invalid_id`. */
export function parsePath<P>(schema: z.ZodType<P> | null, params: Record<string, string>): P {
  if (schema === null) return undefined as P;
  const parsed = schema.safeParse(params);
  if (!parsed.success) throw new Refusal('invalid_id', 'IDs in the path must be UUIDs.');
  return parsed.data;
}

/** Validates fields with their schema. Errors: `validation_failed` with a pointer below `root` for each error. */
export function parseFields<T>(schema: z.ZodType<T> | null, value: unknown, root: string): T {
  if (schema === null) return undefined as T;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.flatMap((issue) => fieldErrors(issue, root));
  const first = errors[0];
  throw new Refusal('validation_failed', first ? `${first.pointer}: ${first.detail}` : 'Check the fields.', { errors });
}

/** Maximum number of reported unknown fields: a body can contain thousands, and the response must not grow with it. */
const MAX_UNKNOWN = 20;
/** Characters of an unknown field in a pointer; of a longer one the message quotes the beginning. */
const MAX_NAME = 200;

function fieldErrors(issue: z.core.$ZodIssue, root: string): FieldError[] {
  const pointer = [root, ...issue.path.map((part) => escapePointer(String(part)))].join('/');
  if (issue.code === 'unrecognized_keys') {
    const more = issue.keys.length - MAX_UNKNOWN;
    return issue.keys.slice(0, MAX_UNKNOWN).map((key, at) => {
      const { field, name } = unknownField(key);
      const rest = at === MAX_UNKNOWN - 1 ? unlisted(more) : '';
      return {
        pointer: `${pointer}${field}`,
        code: 'unknown_field',
        detail: `Unknown field${name}. Check the spelling.${rest}`,
      };
    });
  }
  // zod treats any JSON as a union: when it is missing, every branch reports it.
  const branches =
    issue.code === 'invalid_union' ? issue.errors.flat().filter(({ path }) => path.length === 0) : [issue];
  const missing = branches.some((one) => one.code === 'invalid_type' && one.message.includes('received undefined'));
  return [
    missing
      ? { pointer, code: 'required', detail: 'This field is required.' }
      : { pointer, code: issue.code, detail: issue.message },
  ];
}

function unknownField(key: string): { field: string; name: string } {
  const part = escapePointer(key);
  return part.length <= MAX_NAME ? { field: `/${part}`, name: '' } : { field: '', name: ` “${shorten(key)}”` };
}

const escapePointer = (part: string) => encodeURIComponent(escapePart(part));
