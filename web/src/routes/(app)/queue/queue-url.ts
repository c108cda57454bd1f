// The URL of the queue page: it contains what is shown, so that it can be shared and Back works.
import { filterOf, type QueueGroup, type Scope } from '#lib/live/queue/queue-model.ts';
import { QUEUE_VIEWS } from '@countersign/shared/enums';
import { isUnfiltered } from '@countersign/shared/filters/queue-filter';
import type { QueueFilter } from '@countersign/shared/schemas/parts/queue-filter';
import { QUEUE_SORTS } from '@countersign/shared/filters/queue-order';

export interface QueueLocation extends Scope {
  /** The open item. */
  readonly item: string | null;
}

type Search = Pick<URLSearchParams, 'get'>;

const GROUPS: readonly QueueGroup[] = ['flag', 'project', 'model'];

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The longest text of each field that the server accepts. */
const TEXTS = { flag: ['flag', 100], model: ['model', 200], source: ['source', 200], text: ['q', 100] } as const;
const NUMBERS = { min_confidence: 'min', max_confidence: 'max' } as const;

/** Parses a URL. Unknown values are ignored. */
export function parseQueueUrl(url: { searchParams: Search }): QueueLocation {
  const id = (name: string) => {
    const value = url.searchParams.get(name);
    return value !== null && ID.test(value) ? value.toLowerCase() : null;
  };
  const oneOf = <T extends string>(name: string, values: readonly T[]) => {
    const asked = url.searchParams.get(name);
    return values.find((value) => value === asked);
  };
  const filter = filterIn(url.searchParams);
  const sort = oneOf('sort', QUEUE_SORTS);
  const group = oneOf('group', GROUPS);
  return {
    view: oneOf('view', QUEUE_VIEWS) ?? 'available',
    projectId: id('project'),
    item: id('item'),
    ...(isUnfiltered(filter) ? {} : { filter }),
    ...(sort && sort !== 'due' && { sort }),
    ...(group && { group }),
  };
}

/** The route and query of a location, to be resolved; defaults are omitted. */
export function queueUrlOf(queueLocation: QueueLocation): '/(app)/queue' | `/(app)/queue?${string}` {
  const { view, projectId, sort, group, item } = queueLocation;
  const query = new URLSearchParams();
  if (view !== 'available') query.set('view', view);
  if (projectId !== null) query.set('project', projectId);
  if (sort && sort !== 'due') query.set('sort', sort);
  if (group) query.set('group', group);
  const filter = filterOf(queueLocation);
  for (const [field, [name]] of entries(TEXTS)) if (filter[field] !== undefined) query.set(name, filter[field]);
  for (const [field, name] of entries(NUMBERS)) if (filter[field] !== undefined) query.set(name, String(filter[field]));
  if (item !== null) query.set('item', item);
  return query.size === 0 ? '/(app)/queue' : `/(app)/queue?${query}`;
}

/** A confidence from input or a URL; undefined when it is invalid. */
export function confidenceOf(typed: string | null): number | undefined {
  const value = Number(typed?.trim().replace(',', '.') || NaN);
  return value >= 0 && value <= 1 ? value : undefined;
}

/** A valid search text: trimmed, no longer than the server accepts, without characters that no item can contain. */
export function searchText(typed: string, longest: number = TEXTS.text[1]): string | undefined {
  const text = typed.trim();
  return text !== '' && text.length <= longest && !text.includes('\0') && text.isWellFormed() ? text : undefined;
}

function filterIn(search: Search): QueueFilter {
  const filter: QueueFilter = {};
  for (const [field, [name, longest]] of entries(TEXTS)) {
    const asked = search.get(name);
    // Names from a pipeline are compared as submitted, with their spaces.
    const fits = asked !== null && searchText(asked, longest) !== undefined;
    if (fits) filter[field] = field === 'text' ? asked.trim() : asked;
  }
  for (const [field, name] of entries(NUMBERS)) {
    const value = confidenceOf(search.get(name));
    if (value !== undefined) filter[field] = value;
  }
  return filter;
}

const entries = <T extends object>(of: T) => Object.entries(of) as { [K in keyof T]: [K, T[K]] }[keyof T][];
