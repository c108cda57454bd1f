// Searches items and people on the server for what is typed into the palette, once typing pauses.
import { nameOf } from '#lib/format/name-of.ts';
import { call } from '#lib/api/client.ts';
import { Resource } from '#lib/api/resource.svelte.ts';
import { paletteMessages as text } from '#lib/keys/panels-messages.ts';
import type { PaletteEntry } from '#lib/palette/entries.ts';
import { isUnder, withQuery } from '#lib/shell/addresses.ts';
import { ITEM_STYLE } from '#lib/status.ts';
import { search } from '@countersign/shared/routes/queue';
import type { Project } from '@countersign/shared/schemas/projects';
import type { FoundItem, FoundPerson, SearchResults } from '@countersign/shared/schemas/queue';

/** How long typing pauses before the server is asked, in ms. */
export const PAUSE_MS = 150;
/** Shorter texts match nearly everything. */
const SHORTEST = 2;

interface Needs {
  /** Navigates to a URL of this site. */
  to: (address: string) => unknown;
  /** A project, as far as it is known. */
  projectOf: (id: string) => Pick<Project, 'name' | 'abilities'> | undefined;
  /** The ID of the signed-in user. */
  user: string;
}

/** One palette's search: `ask` it with every text, `stop` it at the end. */
export class RemoteSearch {
  readonly #needs: Needs;
  readonly #results: Resource<SearchResults & { of: string }>;
  #asked = $state('');
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(needs: Needs) {
    this.#needs = needs;
    this.#results = new Resource(async (signal) => {
      const q = this.#asked;
      return { ...(await call(search, { query: { q }, signal })), of: q };
    });
  }

  ask(typed: string): void {
    const asked = typed.trim();
    if (asked === this.#asked) return;
    this.stop();
    this.#asked = asked;
    if (asked.length >= SHORTEST) this.#timer = setTimeout(() => void this.#results.load(), PAUSE_MS);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#results.cancel();
  }

  /** The results for what is typed now; null while there are none yet. */
  get #shown(): SearchResults | null {
    const { data } = this.#results;
    return data !== null && data.of === this.#asked ? data : null;
  }

  get entries(): PaletteEntry[] {
    const { items = [], people = [] } = this.#shown ?? {};
    return [...items.map((item) => this.#entryOfItem(item)), ...people.map((person) => this.#entryOfPerson(person))];
  }

  get isSearching(): boolean {
    return (
      this.#asked.length >= SHORTEST && this.#shown === null && (this.#results.error === null || this.#results.loading)
    );
  }

  /** What a person who waits or misses something should know. */
  get status(): string | null {
    if (this.#asked.length < SHORTEST) return null;
    if (this.isSearching) return text.searching;
    if (this.#shown === null) return text.searchFailed;
    return this.#shown.complete ? null : text.newestOnly;
  }

  #entryOfItem({ id, project_id: projectId, status, ...item }: FoundItem): PaletteEntry {
    const about = ` · ${ITEM_STYLE[status].word} · `;
    return {
      ...{ id: `item ${id}`, group: 'items', rare: true },
      words: ['', nameOf(item), about, this.#needs.projectOf(projectId)?.name ?? ''],
      run: () => this.#needs.to(itemAddress(id)),
    };
  }

  #entryOfPerson({ user_id: userId, project_id: projectId, name, role }: FoundPerson): PaletteEntry {
    return {
      ...{ id: `person ${userId}`, group: 'people', rare: true },
      words: ['', name, ` · ${text.roles[role]} · `, this.#needs.projectOf(projectId)?.name ?? ''],
      run: () =>
        this.#needs.to(`/projects/${projectId}/people${this.#sees(projectId, userId) ? `?person=${userId}` : ''}`),
    };
  }

  /** Whether the user may see a person's page; otherwise the list of people is what there is. */
  #sees(projectId: string, userId: string): boolean {
    return userId === this.#needs.user || this.#needs.projectOf(projectId)?.abilities.see_analytics === true;
  }
}

/** On the queue page, its view, project and filters stay. */
function itemAddress(id: string): string {
  const { pathname, search } = location;
  return `/queue${withQuery(isUnder(pathname, '/queue') ? search : '', 'item', id)}`;
}
