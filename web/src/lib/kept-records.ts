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
  /** Whether a page is open now. What one that is closed had typed is gone on with; of one that is open it stays as it is. */
  readonly isOpen: (page: string) => Promise<boolean>;
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
  /** What it goes on with and did not write itself; replaced by what it writes, unless its own page is open. */
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

  /** `valueOf` reads what is stored; null for what cannot be read any more. */
  constructor(keeping: Keeping, valueOf: (stored: unknown) => T | null) {
    this.#keeping = keeping;
    this.#valueOf = valueOf;
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

  /** What this page goes on with: what it wrote itself, else what was written in this tab last, else anywhere. Null: nothing. */
  read(subject: string): Kept<T> | null {
    const { key = null, from = null } = this.#own.get(subject) ?? {};
    const value = key === null ? undefined : this.#memory.get(key);
    if (key !== null && value !== undefined) return { key, value };
    return this.#stored(subject).find((each) => each.key === from?.key) ?? this.#best(subject);
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
    const stored = this.#stored(subject);
    return stored.find(({ tab }) => tab === this.#keeping.tab) ?? stored[0] ?? null;
  }

  #retire(own: Own<T>): void {
    const { from } = own;
    own.from = null;
    if (from === null) return;
    const done = () => {
      if (this.#text(from.key) === from.text) this.#remove(from.key);
    };
    if (from.page === '' || from.page === this.#keeping.page) return done();
    void this.#keeping.isOpen(from.page).then((open) => {
      if (!open) done();
    });
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
