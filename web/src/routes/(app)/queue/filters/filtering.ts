// Changes the filter of the list, which is in the URL.
import type { Scope } from '#lib/live/queue/queue-model.ts';
import type { QueueFilter } from '@countersign/shared/schemas/parts/queue-filter';
import { goto } from '$app/navigation';
import { resolve } from '$app/paths';
import { queueUrlOf } from '../queue-url.ts';

export type Field = keyof QueueFilter;
type Change = { [F in Field]?: QueueFilter[F] | undefined };

/** A filter with some of its fields changed; undefined removes a field. */
export function changed(filter: QueueFilter, change: Change): QueueFilter {
  const next: Change = { ...filter, ...change };
  return Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined));
}

interface NavigationOptions {
  /** The open item stays open. */
  item: string | null;
  /** Replaces the present history entry: one search is one step back, however it was typed. */
  replace?: boolean;
}

/** Applies a filter to the list. The user requested it, so the list may be laid out again. */
export function filterBy(scope: Scope, filter: QueueFilter, { item, replace = false }: NavigationOptions): void {
  void goto(resolve(queueUrlOf({ ...scope, filter, item })), { replace, reset: false });
}
