// What a page typed, kept in this browser under ids of its own, so that no page ever writes over what another page typed.

export type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

/** Where records are kept, and by whom. */
export interface Keeping {
  readonly store: Store | null;
  /** Begins every key: of one kind of record and one user. */
  readonly prefix: string;
  /** Of this load of the page, and of the tab it is in, which outlives a reload. */
  readonly page: string;
  readonly tab: string;
  readonly pages: Pages;
}

/** What is known of the other pages. What one that is over had typed is gone on with; what another has is that page's own. */
export interface Pages {
  /** Whether a page is known to be over, closed or left. It never comes back: each load has an id of its own. */
  readonly isOver: (page: string) => boolean;
  /** Hears once when a page turns out to be over. */
  readonly whenOver: (page: string, hear: () => void) => void;
}

/** A record with the key it is stored under. */
export interface Kept<T> {
  readonly key: string;
  readonly value: T;
}

interface Stored<T> extends Kept<T> {
  readonly text: string;
  readonly page: string;
  readonly tab: string;
  readonly at: number;
}

/** What this page does with one subject. */
interface Own<T> {
  /** The key it writes to; null before it wrote anything. */
  key: string | null;
  /** What it goes on with and did not write itself; replaced by what it writes, unless another page may have it open. */
  from: Stored<T> | null;
}

/** The records of one kind. Each subject, such as an item, has any number: one for each page that wrote about it. */
export class KeptRecords<T extends { readonly savedAt: string }> {
  readonly #keeping: Keeping;
  readonly #valueOf: (stored: unknown) => T | null;
  readonly #own = new Map<string, Own<T>>();
  /** What this page wrote, by key: also what the browser's storage refuses (full, or forbidden). */
  readonly #memory = new Map<string, T>();
  /** What was thrown away here and is still stored, because another open page wrote it: the text by its key. */
  readonly #left = new Map<string, string>();
  /** The pages whose end is waited for. */
  readonly #awaited = new Set<string>();
  /** Hears that another page is over, and that what it typed can be gone on with. */
  onover: () => void = () => undefined;

  /** `valueOf` reads what is stored; null for what cannot be read any more. */
  constructor(keeping: Keeping, valueOf: (stored: unknown) => T | null) {
    this.#keeping = keeping;
    this.#valueOf = valueOf;
    for (const key of this.#keys()) this.#await(this.#parsed(key));
  }

  /** Keeps what this page typed beside whatever other pages did. Answers whether it will survive a reload. */
  keep(subject: string, value: T): boolean {
    const own = this.#ownOf(subject);
    own.key ??= `${this.#keeping.prefix}${subject}.${crypto.randomUUID()}`;
    this.#memory.set(own.key, value);
    this.#retire(own);
    return this.#write(own.key, this.#textOf(value));
  }

  /** The same for a value that says nothing: this page knows it, and nothing is stored. */
  empty(subject: string, value: T): void {
    const own = this.#ownOf(subject);
    own.key ??= `${this.#keeping.prefix}${subject}.${crypto.randomUUID()}`;
    this.#memory.set(own.key, value);
    this.#remove(own.key);
    this.#retire(own);
  }

  /** What this page goes on with: what it wrote itself, else what pages that are over wrote, in this tab first. Null: nothing. */
  read(subject: string): Kept<T> | null {
    const { key = null, from = null } = this.#own.get(subject) ?? {};
    const value = key === null ? undefined : this.#memory.get(key);
    if (key !== null && value !== undefined) return { key, value };
    // As it was turned to: what its own page typed since is that page's.
    const stands = from !== null && this.#stored(subject).some((each) => each.key === from.key);
    return stands ? from : this.#best(subject);
  }

  /** The same, to be written on from: it is replaced by what this page keeps next. */
  open(subject: string): Kept<T> | null {
    const own = this.#ownOf(subject);
    if (own.key === null) own.from = this.#best(subject);
    return this.read(subject);
  }

  /** All there are of a subject, the newest first. */
  all(subject: string): Kept<T>[] {
    const stored = this.#stored(subject);
    const keys = new Set(stored.map(({ key }) => key));
    const refused = [...this.#memory].filter(
      ([key]) => subjectOf(key, this.#keeping.prefix) === subject && !keys.has(key),
    );
    return [...refused.map(([key, value]) => ({ key, value })), ...stored];
  }

  /** Turns to another one of the same subject; what this page wrote so far stays. */
  turnTo(subject: string, key: string): Kept<T> | null {
    const own = this.#ownOf(subject);
    if (this.#memory.has(key)) Object.assign(own, { key, from: null });
    else Object.assign(own, { key: null, from: this.#stored(subject).find((each) => each.key === key) ?? null });
    const value = this.#memory.get(key) ?? own.from?.value;
    return value === undefined ? null : { key, value };
  }

  /** Forgets what this page goes on with. What an open page wrote is that page's to forget. */
  drop(subject: string): void {
    const own = this.#ownOf(subject);
    if (own.key !== null) this.forget(own.key);
    if (own.from !== null) this.#left.set(own.from.key, own.from.text);
    this.#retire(own);
  }

  /** Forgets one record, whoever wrote it. */
  forget(key: string): void {
    this.#memory.delete(key);
    this.#remove(key);
    for (const own of this.#own.values()) if (own.key === key) own.key = null;
  }

  /** Another page changed a record. Answers its subject, null when it is none of these. What was sent from there is forgotten here too. */
  heard({ key, newValue, oldValue }: Pick<StorageEvent, 'key' | 'newValue' | 'oldValue'>): string | null {
    const subject = key === null ? null : subjectOf(key, this.#keeping.prefix);
    if (key === null || subject === null) return null;
    this.#await(this.#parsed(key));
    const here = this.#memory.get(key);
    if (newValue === null && here !== undefined && this.#textOf(here) === oldValue) this.forget(key);
    return subject;
  }

  /** Clears out what nobody came back to: older than `oldest` (ms), or beyond the newest `most`. */
  tidy(oldest: number, most: number): void {
    const kept = this.#keys()
      .map((key) => ({ key, at: this.#parsed(key)?.at ?? 0 }))
      .sort((a, b) => b.at - a.at);
    for (const [index, { key, at }] of kept.entries()) if (index >= most || at < oldest) this.#remove(key);
  }

  #ownOf(subject: string): Own<T> {
    const own = this.#own.get(subject) ?? { key: null, from: null };
    this.#own.set(subject, own);
    return own;
  }

  #best(subject: string): Stored<T> | null {
    const free = this.#stored(subject).filter(({ page }) => this.#isFree(page));
    return free.find(({ tab }) => tab === this.#keeping.tab) ?? free[0] ?? null;
  }

  /** Whether nobody else can have open what a page wrote; a record of an earlier version names none. */
  #isFree(page: string): boolean {
    return page === '' || page === this.#keeping.page || this.#keeping.pages.isOver(page);
  }

  #await(stored: Stored<T> | null): void {
    const { page = '' } = stored ?? {};
    if (this.#isFree(page) || this.#awaited.has(page)) return;
    this.#awaited.add(page);
    this.#keeping.pages.whenOver(page, () => this.onover());
  }

  #retire(own: Own<T>): void {
    const { from } = own;
    own.from = null;
    if (from !== null && this.#isFree(from.page) && this.#text(from.key) === from.text) this.#remove(from.key);
  }

  #stored(subject: string): Stored<T>[] {
    return this.#keys()
      .filter((key) => subjectOf(key, this.#keeping.prefix) === subject)
      .flatMap((key) => this.#parsed(key) ?? [])
      .filter(({ key, text }) => this.#left.get(key) !== text)
      .sort((a, b) => b.at - a.at);
  }

  #textOf(value: T): string {
    const { page, tab } = this.#keeping;
    return JSON.stringify({ ...value, page, tab });
  }

  #parsed(key: string): Stored<T> | null {
    const text = this.#text(key);
    const stored = text === null ? null : parse(text);
    const value = this.#valueOf(stored);
    if (text === null || value === null) return null;
    const { page, tab } = writerOf(stored);
    return { key, text, value, page, tab, at: Date.parse(value.savedAt) || 0 };
  }

  #keys(): string[] {
    const { store, prefix } = this.#keeping;
    if (store === null) return [];
    const keys = Array.from({ length: store.length }, (_, at) => store.key(at));
    return keys.filter((key) => key !== null).filter((key) => key.startsWith(prefix));
  }

  #text(key: string): string | null {
    try {
      return this.#keeping.store?.getItem(key) ?? null;
    } catch {
      return null;
    }
  }

  #write(key: string, text: string): boolean {
    try {
      this.#keeping.store?.setItem(key, text);
      return this.#keeping.store !== null;
    } catch {
      return false;
    }
  }

  #remove(key: string): void {
    try {
      this.#keeping.store?.removeItem(key);
    } catch {
      // Storage that cannot be written cannot hold the record either.
    }
  }
}

/** The subject of a key: before its id. Records of earlier versions have no id, one for each subject. */
function subjectOf(key: string, prefix: string): string | null {
  return key.startsWith(prefix) ? (key.slice(prefix.length).split('.')[0] ?? null) : null;
}

/** Who wrote a record; empty for those of earlier versions. */
function writerOf(stored: unknown): { page: string; tab: string } {
  const { page, tab }: { page?: unknown; tab?: unknown } = typeof stored === 'object' && stored !== null ? stored : {};
  return { page: typeof page === 'string' ? page : '', tab: typeof tab === 'string' ? tab : '' };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
