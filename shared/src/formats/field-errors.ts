// What zod reports of fields, as the errors of a problem: pointer, code and what to change.
import type { z } from 'zod';
import type { FieldError } from '../errors.ts';
import { escapePart } from '../json/json-pointer.ts';
import { shorten } from '../json-schema/shorten.ts';
import { unlisted } from './unlisted.ts';

/** Maximum number of reported errors: each of the thousands of values in a list may have one. */
const MAX_ERRORS = 100;

/** The errors, with a pointer below `root`. */
export function fieldErrors({ issues }: z.core.$ZodError, root: string): FieldError[] {
  const errors = issues.flatMap((issue) => errorsOf(issue, root));
  const more = unlisted(errors.length - MAX_ERRORS);
  return errors
    .slice(0, MAX_ERRORS)
    .map((error, at) => (at === MAX_ERRORS - 1 ? { ...error, detail: error.detail + more } : error));
}

/** The first error, as the detail of the problem. */
export function firstOf([first]: readonly FieldError[]): string {
  return first ? `${first.pointer}: ${first.detail}` : 'Check the fields.';
}

/** Maximum number of reported unknown fields: a body can contain thousands, and the response must not grow with it. */
const MAX_UNKNOWN = 20;
/** Characters of an unknown field in a pointer; of a longer one the message quotes the beginning. */
const MAX_NAME = 200;

function errorsOf(issue: z.core.$ZodIssue, root: string): FieldError[] {
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

/** A step of a pointer in a URI fragment. */
export const escapePointer = (part: string) => encodeURIComponent(escapePart(part));
