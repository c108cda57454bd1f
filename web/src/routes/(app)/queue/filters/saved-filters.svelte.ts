// Saved filters: a view, a project and a filter under a name, per user, synced across this browser's tabs.
import { browserStorage, json, persisted, type Persisted, type StorageArea } from '#lib/storage/persisted.ts';
import type { Scope } from '#lib/live/queue/queue-model.ts';
import { normalizedName, MOST_SAVED, queryOf, validFilters, type SavedFilter } from './saved-filter.ts';

export type Refused = 'taken' | 'full' | 'noName';

const PREFIX = 'countersign.queue.saved.';

/** The saved filters of one user in one browser. Another user of the same browser does not see them. */
export class SavedFilters {
  list: readonly SavedFilter[] = $state.raw([]);
  /** False when the browser refused to store the last change: it lasts as long as the tab. */
  persisted = $state(true);
  readonly user: string;
  readonly #stored: Persisted<readonly SavedFilter[]>;
  readonly #isForbidden: boolean;

  constructor(user: string, store: StorageArea | null) {
    this.user = user;
    this.#stored = persisted(PREFIX + user, json(validFilters), () => store);
    this.#isForbidden = store === null;
    this.list = this.#stored.read();
  }

  /** Saves the present list. Returns why it was refused, or null. */
  add(name: string, scope: Scope): Refused | null {
    this.#reload();
    const refused = this.#refuses(name, null);
    if (refused !== null) return refused;
    if (this.list.length >= MOST_SAVED) return 'full';
    this.#persist([...this.list, { name: normalizedName(name), query: queryOf(scope) }]);
    return null;
  }

  /** Returns why it was refused, or null. */
  rename(from: string, to: string): Refused | null {
    this.#reload();
    const refused = this.#refuses(to, from);
    if (refused !== null) return refused;
    this.#persist(this.list.map((each) => (each.name === from ? { ...each, name: normalizedName(to) } : each)));
    return null;
  }

  remove(name: string): void {
    this.#reload();
    this.#persist(this.list.filter((each) => each.name !== name));
  }

  /** Follows changes in other tabs; returns the function that stops it. */
  follow(): () => void {
    return this.#stored.follow((list) => (this.list = list));
  }

  #refuses(name: string, own: string | null): Refused | null {
    const wanted = normalizedName(name).toLocaleLowerCase();
    if (wanted === '') return 'noName';
    return this.list.some((each) => each.name !== own && each.name.toLocaleLowerCase() === wanted) ? 'taken' : null;
  }

  /**
   * Another tab may have saved one that this tab has not received yet. Where nothing can be stored, this tab's filters are all
   * there is.
   */
  #reload(): void {
    if (this.persisted && !this.#isForbidden) this.list = this.#stored.read();
  }

  #persist(list: readonly SavedFilter[]): void {
    this.list = list;
    this.persisted = this.#stored.write(list);
  }
}

let known: SavedFilters | null = null;

/** The saved filters of a user, one instance for the whole page. */
export function savedFiltersOf(user: string): SavedFilters {
  if (known?.user !== user) known = new SavedFilters(user, browserStorage());
  return known;
}
