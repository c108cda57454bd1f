// What a reviewer has typed, kept in this browser until the decision is confirmed: through reload, lapse, conflict and sign-out.

/** An unfinished edit. `text` is what stands in the editor: the answer itself, or JSON text. Times are ISO. */
export interface Draft {
  readonly text: string;
  readonly note: string;
  /** A reason of the project, or the reviewer's own words. */
  readonly reason: string | null;
  readonly savedAt: string;
}

/** What is written beside the answer and not sent yet: a note for the decision, a reason in the reviewer's own words. */
export interface Words {
  readonly note: string;
  readonly own: string;
}

/** As they are stored, with the ISO time at which they were kept. */
type KeptWords = Words & Pick<Draft, 'savedAt'>;

/** What went out with a decision, so that nothing else is forgotten with it. */
export interface Sent {
  readonly draft: Draft | null;
  readonly note: string;
  readonly own: string;
}

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

const PREFIX = 'countersign.draft.';
const WORDS = 'countersign.words.';
const NO_WORDS: Words = { note: '', own: '' };
/** Drafts and words nobody came back to are forgotten after this many days, or when more than `KEPT` are newer. */
const DAYS = 30;
const KEPT = 200;

/** The drafts of one user in one browser. Another user of the same browser does not see them. */
export class Drafts {
  readonly #user: string;
  readonly #store: Store | null;
  /** Holds what the browser's storage refuses (full, or forbidden), so that at least this tab keeps it. */
  readonly #memory = new Map<string, Draft>();
  readonly #words = new Map<string, KeptWords>();
  readonly #now: () => number;

  /** `now` tells the time in ms. */
  constructor(user: string, store: Store | null, now: () => number = () => Date.now()) {
    this.#user = user;
    this.#store = store;
    this.#now = now;
  }

  /** Answers whether the draft will survive a reload; it is kept for this tab in any case. */
  keep(itemId: string, draft: Draft): boolean {
    this.#memory.set(itemId, draft);
    return this.#write(this.#keyOf(itemId), draft);
  }

  /** The draft of an item, or null. What cannot be read any more counts as none. */
  read(itemId: string): Draft | null {
    return this.#memory.get(itemId) ?? parse(this.#text(this.#keyOf(itemId)), isDraft);
  }

  /** Forgets the draft of an item: the reviewer threw it away. */
  drop(itemId: string): void {
    this.#memory.delete(itemId);
    this.#remove(this.#keyOf(itemId));
  }

  /** Keeps a note and a reason of one's own as they are typed. Answers as `keep` does. */
  keepWords(itemId: string, words: Words): boolean {
    const kept = { note: words.note, own: words.own, savedAt: new Date(this.#now()).toISOString() };
    this.#words.set(itemId, kept);
    if (kept.note !== '' || kept.own !== '') return this.#write(this.#wordsOf(itemId), kept);
    this.#remove(this.#wordsOf(itemId));
    return true;
  }

  /** What was written beside the answer of an item; empty texts where nothing was. */
  words(itemId: string): Words {
    const kept = this.#words.get(itemId) ?? parse(this.#text(this.#wordsOf(itemId)), areWords);
    return kept === null ? NO_WORDS : { note: kept.note, own: kept.own };
  }

  /** A decision is confirmed: what went out with it is forgotten. What another tab typed meanwhile did not go out and stays. */
  sent(itemId: string, { draft, note, own }: Sent): void {
    const stored = parse(this.#text(this.#keyOf(itemId)), isDraft);
    if (draft !== null) {
      this.#memory.delete(itemId);
      if (stored === null || sameDraft(stored, draft)) this.#remove(this.#keyOf(itemId));
    }
    const words = this.words(itemId);
    const rest = { note: words.note === note ? '' : words.note, own: words.own === own ? '' : words.own };
    if (words !== NO_WORDS) this.keepWords(itemId, rest);
  }

  /** Another tab of this browser wrote something. Answers the item it concerns, null when it is none of this reader's. */
  heard({ key, newValue, oldValue }: Pick<StorageEvent, 'key' | 'newValue' | 'oldValue'>): string | null {
    for (const [prefix, memory] of [
      [PREFIX, this.#memory],
      [WORDS, this.#words],
    ] as const) {
      const own = `${prefix}${this.#user}.`;
      if (key?.startsWith(own) !== true) continue;
      const itemId = key.slice(own.length);
      // What was taken away there goes here too, unless something else was typed here.
      if (newValue !== null || JSON.stringify(memory.get(itemId)) === oldValue) memory.delete(itemId);
      return itemId;
    }
    return null;
  }

  /** Clears out drafts and words that are old or too many, the oldest first. `now` in ms. */
  tidy(now: number): void {
    const oldest = now - DAYS * 86_400_000;
    for (const prefix of [PREFIX, WORDS]) {
      const kept = this.#keys(prefix)
        .map((key) => ({ key, savedAt: this.#savedAt(key) }))
        .sort((a, b) => b.savedAt - a.savedAt);
      for (const [index, { key, savedAt }] of kept.entries()) {
        if (index >= KEPT || savedAt < oldest) this.#remove(key);
      }
    }
  }

  /** When what is stored under a key was kept; 0 when it cannot be read any more. */
  #savedAt(key: string): number {
    const text = this.#text(key);
    const kept = parse(text, isDraft) ?? parse(text, areWords);
    return Date.parse(kept?.savedAt ?? '') || 0;
  }

  #wordsOf(itemId: string): string {
    return `${WORDS}${this.#user}.${itemId}`;
  }

  /** Answers whether it will survive a reload. */
  #write(key: string, value: Draft | KeptWords): boolean {
    try {
      this.#store?.setItem(key, JSON.stringify(value));
      return this.#store !== null;
    } catch {
      return false;
    }
  }

  #keyOf(itemId: string): string {
    return `${PREFIX}${this.#user}.${itemId}`;
  }

  #keys(prefix: string): string[] {
    const store = this.#store;
    if (store === null) return [];
    const keys = Array.from({ length: store.length }, (_, at) => store.key(at));
    return keys.filter((key) => key !== null).filter((key) => key.startsWith(prefix));
  }

  #text(key: string): string | null {
    try {
      return this.#store?.getItem(key) ?? null;
    } catch {
      return null;
    }
  }

  #remove(key: string): void {
    try {
      this.#store?.removeItem(key);
    } catch {
      // Storage that cannot be written cannot hold the draft either.
    }
  }
}

function parse<T>(text: string | null, is: (value: unknown) => value is T): T | null {
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    return is(value) ? value : null;
  } catch {
    return null;
  }
}

function isDraft(value: unknown): value is Draft {
  if (typeof value !== 'object' || value === null) return false;
  const draft: Partial<Record<keyof Draft, unknown>> = value;
  const texts = [draft.text, draft.note, draft.savedAt];
  return texts.every((part) => typeof part === 'string') && (draft.reason === null || typeof draft.reason === 'string');
}

/** Whether two drafts hold the same, whenever they were kept. */
export const sameDraft = (a: Draft | null, b: Draft | null): boolean =>
  a?.text === b?.text && a?.note === b?.note && a?.reason === b?.reason;

function areWords(value: unknown): value is KeptWords {
  if (typeof value !== 'object' || value === null) return false;
  const words: Partial<Record<keyof KeptWords, unknown>> = value;
  return [words.note, words.own, words.savedAt].every((part) => typeof part === 'string');
}

/** The browser's storage, or null where it is forbidden. */
export function browserStorage(): Storage | null {
  try {
    return localStorage;
  } catch {
    return null;
  }
}
