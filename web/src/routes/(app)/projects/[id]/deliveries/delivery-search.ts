// The search of the delivery log, as a URL and as text typed into one field.
import type { DeliveryFilter } from '@countersign/shared/schemas/parts/delivery-filter';
import { isCode, isEventId } from '@countersign/shared/formats/delivery-terms';

/** The selectable states, in their order. Any other one in a URL is ignored. */
export const CHOICES = ['all', 'succeeded', 'pending', 'failed', 'dead', 'paused'] as const;
export type Choice = (typeof CHOICES)[number];

/** The kinds of typed words, one of each. */
const KINDS = ['code', 'event', 'item'] as const;
export type Kind = (typeof KINDS)[number];
export type Typed = Pick<DeliveryFilter, Kind>;

/** Why a text cannot be searched: an unknown word, or two of one kind. */
export type Fault = { unknown: string } | { twice: Kind };

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** A word of the field in its full form for the server; null for one of no kind. */
function readWord(word: string): readonly [Kind, string] | null {
  const small = word.toLowerCase();
  if (isCode(small)) return ['code', small];
  if (UUID.test(small)) return ['item', small];
  return isEventId(word) ? ['event', word] : null;
}

/** The words of the field, in any order, by their kind. */
export function readTyped(text: string): Typed | { fault: Fault } {
  const typed: Typed = {};
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const read = readWord(word);
    if (read === null) return { fault: { unknown: word } };
    const [kind, value] = read;
    if (typed[kind] !== undefined && typed[kind] !== value) return { fault: { twice: kind } };
    typed[kind] = value;
  }
  return typed;
}

/** The search beside a newly selected state: the typed text, or the present search as long as the text is invalid. */
export function typedOrCurrent(text: string, { filter }: Pick<DeliveryQuery, 'filter'>): Typed {
  const read = readTyped(text);
  return 'fault' in read ? filter : read;
}

export interface DeliveryQuery {
  choice: Choice;
  filter: DeliveryFilter;
  /** The text of the field. */
  text: string;
  /** Why the search cannot find anything; null when it can. */
  fault: Fault | null;
}

/** Parses a URL. An unknown word is retained, so that it is not ignored silently. */
export function parseDeliveryQuery(search: Pick<URLSearchParams, 'get'>): DeliveryQuery {
  const wanted = search.get('status');
  const choice = CHOICES.find((each) => each === wanted) ?? 'all';
  const given = KINDS.map((kind) => [kind, search.get(kind)?.trim() || null] as const);
  const text = given.flatMap(([, value]) => value ?? []).join(' ');
  const strange = given.find(([kind, value]) => value !== null && readWord(value)?.[0] !== kind);
  const typed = readTyped(text);
  const fault = strange?.[1] ? { unknown: strange[1] } : 'fault' in typed ? typed.fault : null;
  const endpoint = search.get('endpoint')?.trim().toLowerCase() ?? '';
  // Chosen from a list, not typed: anything else in a URL is ignored.
  const chosen = UUID.test(endpoint) ? { endpoint } : {};
  const picked = { ...(choice === 'all' ? {} : { status: choice }), ...chosen };
  return { choice, text, fault, filter: 'fault' in typed || fault !== null ? picked : { ...picked, ...typed } };
}

/** The query with another endpoint, or with none. */
export function queryForEndpoint(search: string, endpoint: string | null): `?${string}` | '' {
  const query = new URLSearchParams(search);
  if (endpoint === null) query.delete('endpoint');
  else query.set('endpoint', endpoint);
  return query.size === 0 ? '' : `?${query}`;
}

/** The query for it, beside all other parameters of the URL. */
export function queryFor(search: string, choice: Choice, typed: Typed): `?${string}` | '' {
  const query = new URLSearchParams(search);
  const wanted = {
    status: choice === 'all' ? undefined : choice,
    ...Object.fromEntries(KINDS.map((kind) => [kind, typed[kind]])),
  };
  for (const [name, value] of Object.entries(wanted)) {
    if (value === undefined) query.delete(name);
    else query.set(name, value);
  }
  return query.size === 0 ? '' : `?${query}`;
}
