// Who speaks in a turn of a conversation besides its role: the participant, or the tool that a result comes from. Pure.
import type { Json } from '@countersign/shared/json/json';
import type { Turn } from '../classify.ts';
import { isArray, isObject } from '../json/lossless.ts';
import { toolCallsOf } from './tool-call.ts';

/** The name of each turn: its own, or that of the latest earlier call with its `tool_call_id`; null where nothing names it. */
export function turnNames(turns: readonly Turn[]): (string | null)[] {
  const called = new Map<string, string>();
  return turns.map(({ calls, rest }) => {
    const name = textAt(rest, 'name') ?? called.get(textAt(rest, 'tool_call_id') ?? '') ?? null;
    for (const call of isArray(calls) ? calls : [calls]) {
      const [id, tool] = [textAt(call, 'id'), nameOfCall(call)];
      if (id !== null && tool !== null) called.set(id, tool);
    }
    return name;
  });
}

/** Also that of a call whose arguments cannot be read. */
function nameOfCall(call: Json): string | null {
  const [read] = toolCallsOf(call) ?? [];
  if (read !== undefined) return read.name;
  return textAt(isObject(call) && Object.hasOwn(call, 'function') ? (call.function ?? null) : call, 'name');
}

/** The members of a turn besides the role, the content, its calls, and the name that is shown with the role. */
export function detailsOf({ rest }: Turn): Turn['rest'] {
  if (rest === null || textAt(rest, 'name') === null) return rest;
  const { name: _, ...others } = rest;
  return Object.keys(others).length === 0 ? null : others;
}

/** The member of an object that is a text with characters. */
function textAt(value: Json, key: string): string | null {
  const member = isObject(value) && Object.hasOwn(value, key) ? value[key] : null;
  return typeof member === 'string' && member !== '' ? member : null;
}
