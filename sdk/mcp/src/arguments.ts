// Reads the arguments of a tool, and refuses what a parser of JSON has already changed.
import type { z } from 'zod';
import type { FieldError } from '../../../shared/src/errors.ts';
import { escapePointer, fieldErrors, firstOf } from '../../../shared/src/formats/field-errors.ts';
import { unlisted } from '../../../shared/src/formats/unlisted.ts';

/** The arguments are not valid; `message` is the first of `errors`. */
export class InvalidArguments extends Error {
  readonly errors: FieldError[];

  constructor(errors: FieldError[]) {
    super(firstOf(errors));
    this.errors = errors;
  }
}

/** The arguments as the tool describes them. Errors: `InvalidArguments`. */
export function argumentsOf<T>(schema: z.ZodType<T>, args: unknown): T {
  const rounded = largeNumbers(args);
  if (rounded.length > 0) throw new InvalidArguments(rounded);
  const parsed = schema.safeParse(args);
  if (parsed.success) return parsed.data;
  throw new InvalidArguments(fieldErrors(parsed.error, '#'));
}

/** Maximum number of reported numbers. */
const MAX_REPORTED = 20;

/** Numbers of more than 2^53 - 1: the parser of the protocol may have rounded them, and nobody can tell. */
function largeNumbers(args: unknown): FieldError[] {
  const pointers: string[] = [];
  // Not by recursion, because JSON may be nested deeper than the stack.
  const left: { value: unknown; pointer: string }[] = [{ value: args, pointer: '#' }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { value, pointer } = next;
    if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER) pointers.push(pointer);
    if (typeof value !== 'object' || value === null) continue;
    const members = Object.entries(value).map(([key, member]: [string, unknown]) => ({
      ...{ value: member, pointer: `${pointer}/${escapePointer(key)}` },
    }));
    left.push(...members.reverse());
  }
  return pointers.slice(0, MAX_REPORTED).map((pointer, at) => {
    const rest = at === MAX_REPORTED - 1 ? unlisted(pointers.length - MAX_REPORTED) : '';
    return { pointer, code: 'number_too_large', detail: `${TOO_LARGE}${rest}` };
  });
}

const TOO_LARGE = `A number beyond ${Number.MAX_SAFE_INTEGER} may have been rounded on its way here. Send it as text.`;
