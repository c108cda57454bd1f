// Stores a page's typed texts in this browser under ids of its own, so that pages never overwrite each other.

export type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

/** Where records are stored, and by which page. */
export interface RecordOptions {
  readonly store: Store | null;
  /** The prefix of every key: one kind of record and one user. */
  readonly prefix: string;
  /** The id of this load of the page, and that of its tab, which survives a reload. */
  readonly page: string;
  readonly tab: string;
  readonly pages: Pages;
}

/** Knowledge of the other pages. Records of a closed page are continued; those of an open page belong to it. */
export interface Pages {
  /** Whether a page is known to be closed or left. It never comes back: each load has its own id. */
  readonly isClosed: (page: string) => boolean;
  /** Calls the listener once when a page turns out to be closed. */
  readonly whenClosed: (page: string, listener: () => void) => void;
}

/** A record with its storage key. */
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

/** This page's state of one subject. */
interface PageRecord<T> {
  /** The key it writes to; null before its first write. */
  key: string | null;
  /** The record it continues and did not write itself; replaced by its next write, unless another page may have it open. */
  from: Stored<T> | null;
}

/** The records of one kind. Each subject, such as an item, has any number: one per page that wrote about it. */
export class LocalRecords<T extends { readonly savedAt: string }> {
  readonly #options: RecordOptions;
  readonly #valueOf: (stored: unknown) => T | null;
  readonly #pageRecords = new Map<string, PageRecord<T>>();
  /** This page's own records by key, including those the browser's storage refuses (full, or forbidden). */
  readonly #memory = new Map<string, T>();
  /** Records discarded here but still stored, because another open page wrote them: the text by its key. */
  readonly #dismissed = new Map<string, string>();
  /** The pages being watched for their end. */
  readonly #watchedPages = new Set<string>();
  /** Called when another page has closed, so that its records can be continued. */
  onpageclosed: () => void = () => undefined;

  /** `valueOf` parses a stored record; null when it cannot be parsed. */
  constructor(options: RecordOptions, valueOf: (stored: unknown) => T | null) {
    this.#options = options;
    this.#valueOf = valueOf;
    for (const key of this.#keys()) this.#watchPage(this.#parsed(key));
  }

  /** Saves this page's record beside those of other pages. Returns whether it will survive a reload. */
  save(subject: string, value: T): boolean {
    const record = this.#pageRecordOf(subject);
    record.key ??= `${this.#options.prefix}${subject}.${crypto.randomUUID()}`;
    this.#memory.set(record.key, value);
    this.#removeReplaced(record);
    return this.#write(record.key, this.#textOf(value));
  }

  /** The same for an empty value: this page remembers it, and nothing is stored. */
  empty(subject: string, value: T): void {
    const record = this.#pageRecordOf(subject);
    record.key ??= `${this.#options.prefix}${subject}.${crypto.randomUUID()}`;
    this.#memory.set(record.key, value);
    this.#remove(record.key);
    this.#removeReplaced(record);
  }

  /** The record this page continues: its own, else one of a closed page, of this tab first. Null when there is none. */
  read(subject: string): KeyedRecord<T> | null {
    const { key = null, from = null } = this.#pageRecords.get(subject) ?? {};
    const value = key === null ? undefined : this.#memory.get(key);
    if (key !== null && value !== undefined) return { key, value };
    // As it was when selected: what its own page typed since belongs to that page.
    const isStored = from !== null && this.#stored(subject).some((each) => each.key === from.key);
    return isStored ? from : this.#latestFree(subject);
  }

  /** The same, for editing: the next save of this page replaces it. */
  open(subject: string): KeyedRecord<T> | null {
    const record = this.#pageRecordOf(subject);
    if (record.key === null) record.from = this.#latestFree(subject);
    return this.read(subject);
  }

  /** All records of a subject, the newest first. */
  all(subject: string): KeyedRecord<T>[] {
    const stored = this.#stored(subject);
    const keys = new Set(stored.map(({ key }) => key));
    const refused = [...this.#memory].filter(
      ([key]) => subjectOf(key, this.#options.prefix) === subject && !keys.has(key),
    );
    return [...refused.map(([key, value]) => ({ key, value })), ...stored];
  }

  /** Switches to another record of the same subject; this page's present record stays. */
  switchTo(subject: string, key: string): KeyedRecord<T> | null {
    const record = this.#pageRecordOf(subject);
    if (this.#memory.has(key)) Object.assign(record, { key, from: null });
    else Object.assign(record, { key: null, from: this.#stored(subject).find((each) => each.key === key) ?? null });
    const value = this.#memory.get(key) ?? record.from?.value;
    return value === undefined ? null : { key, value };
  }

  /** Deletes the record this page continues. Only an open page deletes its own records. */
  drop(subject: string): void {
    const record = this.#pageRecordOf(subject);
    if (record.key !== null) this.forget(record.key);
    if (record.from !== null) this.#dismissed.set(record.from.key, record.from.text);
    this.#removeReplaced(record);
  }

  /** Deletes one record of any page. */
  forget(key: string): void {
    this.#memory.delete(key);
    this.#remove(key);
    for (const record of this.#pageRecords.values()) if (record.key === key) record.key = null;
  }

  /**
   * Another page changed a record. Returns its subject, null when it is not of this kind. What was sent from there is deleted
   * here too.
   */
  onStorage({ key, newValue, oldValue }: Pick<StorageEvent, 'key' | 'newValue' | 'oldValue'>): string | null {
    const subject = key === null ? null : subjectOf(key, this.#options.prefix);
    if (key === null || subject === null) return null;
    this.#watchPage(this.#parsed(key));
    const written = this.#memory.get(key);
    if (newValue === null && written !== undefined && this.#textOf(written) === oldValue) this.forget(key);
    return subject;
  }

  /** Deletes abandoned records: older than `oldest` (ms), or beyond the newest `most`. */
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

  /** Whether no other page can have a page's record open; a record of an earlier version names no page. */
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

/** The subject of a key: the part before its id. Records of earlier versions have no id, one for each subject. */
function subjectOf(key: string, prefix: string): string | null {
  return key.startsWith(prefix) ? (key.slice(prefix.length).split('.')[0] ?? null) : null;
}

/** The page that wrote a record; empty for those of earlier versions. */
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
