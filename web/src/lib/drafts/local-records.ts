// What a page typed, kept in this browser under ids of its own, so that no page ever writes over what another page typed.

export type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

/** Where records are kept, and by whom. */
export interface RecordOptions {
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
  readonly isClosed: (page: string) => boolean;
  /** Hears once when a page turns out to be over. */
  readonly whenClosed: (page: string, listener: () => void) => void;
}

/** A record with the key it is stored under. */
export interface KeyedRecord<T> {
  readonly key: string;
  readonly value: T;
}

interface Stored<T> extends KeyedRecord<T> {
  readonly text: string;
  readonly page: string;
  readonly tab: string;
  readonly at: number;
}

/** What this page does with one subject. */
interface PageRecord<T> {
  /** The key it writes to; null before it wrote anything. */
  key: string | null;
  /** What it goes on with and did not write itself; replaced by what it writes, unless another page may have it open. */
  from: Stored<T> | null;
}

/** The records of one kind. Each subject, such as an item, has any number: one for each page that wrote about it. */
export class LocalRecords<T extends { readonly savedAt: string }> {
  readonly #options: RecordOptions;
  readonly #valueOf: (stored: unknown) => T | null;
  readonly #pageRecords = new Map<string, PageRecord<T>>();
  /** What this page wrote, by key: also what the browser's storage refuses (full, or forbidden). */
  readonly #memory = new Map<string, T>();
  /** What was thrown away here and is still stored, because another open page wrote it: the text by its key. */
  readonly #dismissed = new Map<string, string>();
  /** The pages whose end is waited for. */
  readonly #watchedPages = new Set<string>();
  /** Hears that another page is over, and that what it typed can be gone on with. */
  onpageclosed: () => void = () => undefined;

  /** `valueOf` reads what is stored; null for what cannot be read any more. */
  constructor(options: RecordOptions, valueOf: (stored: unknown) => T | null) {
    this.#options = options;
    this.#valueOf = valueOf;
    for (const key of this.#keys()) this.#watchPage(this.#parsed(key));
  }

  /** Keeps what this page typed beside whatever other pages did. Answers whether it will survive a reload. */
  save(subject: string, value: T): boolean {
    const record = this.#pageRecordOf(subject);
    record.key ??= `${this.#options.prefix}${subject}.${crypto.randomUUID()}`;
    this.#memory.set(record.key, value);
    this.#removeReplaced(record);
    return this.#write(record.key, this.#textOf(value));
  }

  /** The same for a value that says nothing: this page knows it, and nothing is stored. */
  empty(subject: string, value: T): void {
    const record = this.#pageRecordOf(subject);
    record.key ??= `${this.#options.prefix}${subject}.${crypto.randomUUID()}`;
    this.#memory.set(record.key, value);
    this.#remove(record.key);
    this.#removeReplaced(record);
  }

  /** What this page goes on with: what it wrote itself, else what pages that are over wrote, in this tab first. Null: nothing. */
  read(subject: string): KeyedRecord<T> | null {
    const { key = null, from = null } = this.#pageRecords.get(subject) ?? {};
    const value = key === null ? undefined : this.#memory.get(key);
    if (key !== null && value !== undefined) return { key, value };
    // As it was turned to: what its own page typed since is that page's.
    const isStored = from !== null && this.#stored(subject).some((each) => each.key === from.key);
    return isStored ? from : this.#latestFree(subject);
  }

  /** The same, to be written on from: it is replaced by what this page keeps next. */
  open(subject: string): KeyedRecord<T> | null {
    const record = this.#pageRecordOf(subject);
    if (record.key === null) record.from = this.#latestFree(subject);
    return this.read(subject);
  }

  /** All there are of a subject, the newest first. */
  all(subject: string): KeyedRecord<T>[] {
    const stored = this.#stored(subject);
    const keys = new Set(stored.map(({ key }) => key));
    const refused = [...this.#memory].filter(
      ([key]) => subjectOf(key, this.#options.prefix) === subject && !keys.has(key),
    );
    return [...refused.map(([key, value]) => ({ key, value })), ...stored];
  }

  /** Turns to another one of the same subject; what this page wrote so far stays. */
  switchTo(subject: string, key: string): KeyedRecord<T> | null {
    const record = this.#pageRecordOf(subject);
    if (this.#memory.has(key)) Object.assign(record, { key, from: null });
    else Object.assign(record, { key: null, from: this.#stored(subject).find((each) => each.key === key) ?? null });
    const value = this.#memory.get(key) ?? record.from?.value;
    return value === undefined ? null : { key, value };
  }

  /** Forgets what this page goes on with. What an open page wrote is that page's to forget. */
  drop(subject: string): void {
    const record = this.#pageRecordOf(subject);
    if (record.key !== null) this.forget(record.key);
    if (record.from !== null) this.#dismissed.set(record.from.key, record.from.text);
    this.#removeReplaced(record);
  }

  /** Forgets one record, whoever wrote it. */
  forget(key: string): void {
    this.#memory.delete(key);
    this.#remove(key);
    for (const record of this.#pageRecords.values()) if (record.key === key) record.key = null;
  }

  /** Another page changed a record. Answers its subject, null when it is none of these. What was sent from there is forgotten here too. */
  onStorage({ key, newValue, oldValue }: Pick<StorageEvent, 'key' | 'newValue' | 'oldValue'>): string | null {
    const subject = key === null ? null : subjectOf(key, this.#options.prefix);
    if (key === null || subject === null) return null;
    this.#watchPage(this.#parsed(key));
    const written = this.#memory.get(key);
    if (newValue === null && written !== undefined && this.#textOf(written) === oldValue) this.forget(key);
    return subject;
  }

  /** Clears out what nobody came back to: older than `oldest` (ms), or beyond the newest `most`. */
  removeOld(oldest: number, most: number): void {
    const records = this.#keys()
      .map((key) => ({ key, at: this.#parsed(key)?.at ?? 0 }))
      .sort((a, b) => b.at - a.at);
    for (const [index, { key, at }] of records.entries()) if (index >= most || at < oldest) this.#remove(key);
  }

  #pageRecordOf(subject: string): PageRecord<T> {
    const record = this.#pageRecords.get(subject) ?? { key: null, from: null };
    this.#pageRecords.set(subject, record);
    return record;
  }

  #latestFree(subject: string): Stored<T> | null {
    const free = this.#stored(subject).filter(({ page }) => this.#isFree(page));
    return free.find(({ tab }) => tab === this.#options.tab) ?? free[0] ?? null;
  }

  /** Whether nobody else can have open what a page wrote; a record of an earlier version names none. */
  #isFree(page: string): boolean {
    return page === '' || page === this.#options.page || this.#options.pages.isClosed(page);
  }

  #watchPage(stored: Stored<T> | null): void {
    const { page = '' } = stored ?? {};
    if (this.#isFree(page) || this.#watchedPages.has(page)) return;
    this.#watchedPages.add(page);
    this.#options.pages.whenClosed(page, () => this.onpageclosed());
  }

  #removeReplaced(record: PageRecord<T>): void {
    const { from } = record;
    record.from = null;
    if (from !== null && this.#isFree(from.page) && this.#text(from.key) === from.text) this.#remove(from.key);
  }

  #stored(subject: string): Stored<T>[] {
    return this.#keys()
      .filter((key) => subjectOf(key, this.#options.prefix) === subject)
      .flatMap((key) => this.#parsed(key) ?? [])
      .filter(({ key, text }) => this.#dismissed.get(key) !== text)
      .sort((a, b) => b.at - a.at);
  }

  #textOf(value: T): string {
    const { page, tab } = this.#options;
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
    const { store, prefix } = this.#options;
    if (store === null) return [];
    const keys = Array.from({ length: store.length }, (_, at) => store.key(at));
    return keys.filter((key) => key !== null).filter((key) => key.startsWith(prefix));
  }

  #text(key: string): string | null {
    try {
      return this.#options.store?.getItem(key) ?? null;
    } catch {
      return null;
    }
  }

  #write(key: string, text: string): boolean {
    try {
      this.#options.store?.setItem(key, text);
      return this.#options.store !== null;
    } catch {
      return false;
    }
  }

  #remove(key: string): void {
    try {
      this.#options.store?.removeItem(key);
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
