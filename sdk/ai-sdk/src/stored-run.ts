// A paused run as text: its messages, with the bytes, dates and addresses that JSON has no form for.
import type { ModelMessage } from 'ai';
import { AlreadyReleasedError } from './errors.ts';

/** A run that waits for people. Each stop of a run has an `id` of its own. */
export interface PausedRun {
  readonly id: string;
  /** All messages so far; the last one of the assistant has the calls that wait. */
  readonly messages: readonly ModelMessage[];
}

/** The member that marks what has no form in JSON. */
const MARK = '$countersign';

interface Stored {
  readonly id: string;
  readonly released: boolean;
  readonly messages: unknown;
}

/**
 * As text to store. It contains the conversation, so store it where only your program writes. `released`: the reviewed calls go
 * to the agent now, so that nobody goes on with this text again.
 */
export function toJson({ id, messages }: PausedRun, { released = false }: { released?: boolean } = {}): string {
  return JSON.stringify({ id, released, messages: encode(messages) } satisfies Stored);
}

/** From `toJson`. Errors: `AlreadyReleasedError`; `SyntaxError` and `TypeError` for another text. */
export function fromJson(text: string): PausedRun {
  const stored = JSON.parse(text) as Partial<Stored> | null;
  if (typeof stored?.id !== 'string' || typeof stored.released !== 'boolean' || !Array.isArray(stored.messages)) {
    throw new TypeError('This text is not a paused run: pass the last one that `save` was called with.');
  }
  if (stored.released) {
    throw new AlreadyReleasedError('The reviewed calls of this run went to the agent before: they may have run.');
  }
  return { id: stored.id, messages: decode(stored.messages) as ModelMessage[] };
}

/** A message may itself have a member with the name of the mark, so such an object is marked too. */
function encode(value: unknown): unknown {
  if (value instanceof Date) return { [MARK]: 'date', value: value.toISOString() };
  if (value instanceof URL) return { [MARK]: 'url', value: value.href };
  if (value instanceof ArrayBuffer) return encode(new Uint8Array(value));
  if (value instanceof Uint8Array) return { [MARK]: 'bytes', value: toBase64(value) };
  if (Array.isArray(value)) return value.map(encode);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, encode(member)]));
  return Object.hasOwn(members, MARK) ? { [MARK]: 'object', value: members } : members;
}

function decode(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(decode);
  if (typeof value !== 'object' || value === null) return value;
  if (!Object.hasOwn(value, MARK)) return decodeMembers(value);
  const { [MARK]: kind, value: marked } = value as { [MARK]: string; value: unknown };
  if (kind === 'object') return decodeMembers(marked as object);
  if (kind === 'date') return new Date(String(marked));
  if (kind === 'url') return new URL(String(marked));
  return Uint8Array.from(atob(String(marked)), (character) => character.charCodeAt(0));
}

function decodeMembers(value: object): object {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, decode(member)]));
}

function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}
