// Requested calls of tools, in the forms of the common model APIs.
import type { Json } from '@countersign/shared/json/json';
import { isArray, isObject, parseJson, type JsonObject } from '../json/lossless.ts';

/** `rest` are its members other than the name and the arguments, `way` the keys that lead to the arguments. */
export interface ToolCall {
  readonly name: string;
  readonly args: JsonObject;
  readonly way: readonly string[];
  readonly rest: JsonObject | null;
}

/** The keys of the name and the arguments in each form, and the members that form must have. */
const FORMS: readonly { name: string; args: string; fixed?: Readonly<Record<string, string>> }[] = [
  { name: 'name', args: 'arguments' },
  { name: 'name', args: 'parameters' },
  { name: 'name', args: 'args' },
  { name: 'name', args: 'input', fixed: { type: 'tool_use' } },
  { name: 'tool', args: 'arguments' },
  { name: 'tool', args: 'args' },
  { name: 'tool', args: 'parameters' },
  { name: 'tool', args: 'input' },
  { name: 'tool_name', args: 'tool_input' },
  { name: 'tool_name', args: 'tool_args' },
  { name: 'tool_name', args: 'arguments' },
  { name: 'action', args: 'action_input' },
];
/** A call inside of another member: OpenAI, and the JSON-RPC of MCP. */
const WRAPPED: readonly { inner: string; fixed: Readonly<Record<string, string>> }[] = [
  { inner: 'function', fixed: { type: 'function' } },
  { inner: 'params', fixed: { method: 'tools/call' } },
];

/** The call a value represents; null for any other value. */
function toolCallOf(value: Json): ToolCall | null {
  if (!isObject(value)) return null;
  for (const { inner, fixed } of WRAPPED) {
    const wrapped = memberOf(value, inner);
    if (wrapped === undefined || !has(value, fixed)) continue;
    const call = plainCall(wrapped);
    if (call !== null) return { ...call, way: [inner, ...call.way], rest: merged(without(value, [inner]), call.rest) };
  }
  return plainCall(value);
}

/** The calls of a value that is one call or a list of calls. */
export function toolCallsOf(value: Json): ToolCall[] | null {
  if (!isArray(value)) {
    const call = toolCallOf(value);
    return call === null ? null : [call];
  }
  const calls = value.map(toolCallOf).filter((call) => call !== null);
  return calls.length > 0 && calls.length === value.length ? calls : null;
}

function plainCall(value: Json): ToolCall | null {
  if (!isObject(value)) return null;
  for (const { name, args, fixed = {} } of FORMS) {
    const called = memberOf(value, name);
    const given = argumentsOf(memberOf(value, args));
    if (typeof called === 'string' && called !== '' && given !== null && has(value, fixed))
      return { name: called, args: given, way: [args], rest: without(value, [name, args]) };
  }
  return null;
}

/** An object, or a text that contains one. */
function argumentsOf(value: Json | undefined): JsonObject | null {
  if (value === undefined) return null;
  if (isObject(value)) return value;
  if (typeof value !== 'string' || !value.trimStart().startsWith('{')) return null;
  try {
    const read = parseJson(value);
    return isObject(read) ? read : null;
  } catch {
    return null;
  }
}

const memberOf = (value: JsonObject, key: string): Json | undefined =>
  Object.hasOwn(value, key) ? value[key] : undefined;
const has = (value: JsonObject, fixed: Readonly<Record<string, string>>): boolean =>
  Object.entries(fixed).every(([key, wanted]) => memberOf(value, key) === wanted);

function without(value: JsonObject, keys: readonly string[]): JsonObject | null {
  const left = Object.entries(value).filter(([key]) => !keys.includes(key));
  return left.length === 0 ? null : Object.fromEntries(left);
}

/** Both, and none of a pair with the same key is lost. */
function merged(outer: JsonObject | null, inner: JsonObject | null): JsonObject | null {
  if (outer === null || inner === null) return outer ?? inner;
  const clash = Object.keys(inner).some((key) => Object.hasOwn(outer, key));
  return clash ? { ...outer, function: inner } : { ...outer, ...inner };
}
