// What a tool call looks like, and what an edit of one may change (TC1, TC2). Pure.
import { escapePart } from '@countersign/shared/json/json-pointer';
import { unlisted } from '@countersign/shared/formats/unlisted';
import type { ItemKind } from '@countersign/shared/enums';
import type { Json } from '@countersign/shared/json/json';

/** Something that does not fit, by its JSON pointer. */
export interface CallFault {
  pointer: string;
  keyword: string;
  message: string;
}

/** The member that the answer schema describes. */
export const ARGUMENTS = 'arguments';

/** What an answer schema describes: of a tool call its arguments (TC1), which are null where it has none. */
export function schemaSubject(kind: ItemKind, answer: Json): Json {
  if (kind === 'answer') return answer;
  return (answer as { [ARGUMENTS]?: Json } | null)?.[ARGUMENTS] ?? null;
}

/** How many unknown members are named; the last one says how many more there are. */
const MAX_UNKNOWN = 5;

/** TC1: a tool call is exactly `{"name": non-empty text, "arguments": object}`; the faults otherwise. */
export function callFaults(value: unknown): CallFault[] {
  if (!isObject(value)) {
    const message = 'A tool call is an object with the members name and arguments.';
    return [{ pointer: '', keyword: 'type', message }];
  }
  const { name, arguments: given } = value;
  const unknown = Object.keys(value).filter((key) => key !== 'name' && key !== ARGUMENTS);
  return [
    ...(typeof name === 'string' && name !== ''
      ? []
      : [{ pointer: '/name', keyword: kindOfFault(name), message: 'The name of the tool is a text, and not empty.' }]),
    ...(isObject(given)
      ? []
      : [{ pointer: '/arguments', keyword: kindOfFault(given), message: 'The arguments are an object.' }]),
    ...unknown.slice(0, MAX_UNKNOWN).map((key, at) => ({
      pointer: `/${escapePart(key)}`,
      keyword: 'unknown_field',
      message: `Only name and arguments may be here.${at === MAX_UNKNOWN - 1 ? unlisted(unknown.length - MAX_UNKNOWN) : ''}`,
    })),
  ];
}

/** TC2: an edit of a tool call is one too, and of the same tool. Both are parsed JSON. */
export function editFaults(output: unknown, suggestion: Json): CallFault[] {
  const faults = callFaults(output);
  const name = isObject(suggestion) ? suggestion.name : undefined;
  if (faults.length > 0 || (output as { name: unknown }).name === name) return faults;
  return [
    { pointer: '/name', keyword: 'const', message: 'The name of the tool cannot be changed, only its arguments.' },
  ];
}

const kindOfFault = (value: unknown): string =>
  value === undefined ? 'required' : value === '' ? 'min_length' : 'type';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
