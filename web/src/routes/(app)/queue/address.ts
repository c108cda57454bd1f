// The address of the queue page: what is shown is in it, so that it can be shared and Back works.
import type { Scope } from '#lib/live/queue-model.ts';
import { QUEUE_VIEWS } from '@countersign/shared/api/queue';

export interface Place extends Scope {
  /** The item on show. */
  readonly item: string | null;
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What an address asks for. What is not known in it counts as not there. */
export function placeOf(url: { searchParams: Pick<URLSearchParams, 'get'> }): Place {
  const id = (name: string) => {
    const value = url.searchParams.get(name);
    return value !== null && ID.test(value) ? value.toLowerCase() : null;
  };
  const asked = url.searchParams.get('view');
  return {
    view: QUEUE_VIEWS.find((view) => view === asked) ?? 'available',
    projectId: id('project'),
    item: id('item'),
  };
}

/** The route and query of a place, to be resolved; what is as usual is left out. */
export function addressOf({ view, projectId, item }: Place): '/(app)/queue' | `/(app)/queue?${string}` {
  const query = new URLSearchParams();
  if (view !== 'available') query.set('view', view);
  if (projectId !== null) query.set('project', projectId);
  if (item !== null) query.set('item', item);
  return query.size === 0 ? '/(app)/queue' : `/(app)/queue?${query}`;
}
