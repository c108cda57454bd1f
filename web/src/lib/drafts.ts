// What a reviewer has typed, kept in this browser until the decision is confirmed: through reload, lapse, conflict and sign-out.

/** An unfinished edit. `text` is what stands in the editor: the answer itself, or JSON text. Times are ISO. */
export interface Draft {
  readonly text: string;
  readonly note: string;
  /** A reason of the project, or the reviewer's own words. */
  readonly reason: string | null;
  readonly savedAt: string;
}

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

const PREFIX = 'countersign.draft.';
/** Drafts nobody came back to are forgotten after this many days, or when more than `KEPT` are newer. */
const DAYS = 30;
const KEPT = 200;

/** The drafts of one user in one browser. Another user of the same browser does not see them. */
export class Drafts {
  readonly #user: string;
  readonly #store: Store | null;
  /** Holds what the browser's storage refuses (full, or forbidden), so that at least this tab keeps it. */
  readonly #memory = new Map<string, Draft>();

  constructor(user: string, store: Store | null) {
    this.#user = user;
    this.#store = store;
  }

  /** Answers whether the draft will survive a reload; it is kept for this tab in any case. */
  keep(itemId: string, draft: Draft): boolean {
    this.#memory.set(itemId, draft);
    try {
      this.#store?.setItem(this.#keyOf(itemId), JSON.stringify(draft));
      return this.#store !== null;
    } catch {
      return false;
    }
  }

  /** The draft of an item, or null. What cannot be read any more counts as none. */
  read(itemId: string): Draft | null {
    return this.#memory.get(itemId) ?? parse(this.#text(this.#keyOf(itemId)));
  }

  /** Forgets the draft of an item: its decision is confirmed, or the reviewer threw it away. */
  drop(itemId: string): void {
    this.#memory.delete(itemId);
    this.#remove(this.#keyOf(itemId));
  }

  /** Clears out drafts that are old or too many. `now` in ms. */
  tidy(now: number): void {
    const oldest = now - DAYS * 86_400_000;
    const drafts = this.#keys()
      .map((key) => ({ key, savedAt: Date.parse(parse(this.#text(key))?.savedAt ?? '') || 0 }))
      .sort((a, b) => b.savedAt - a.savedAt);
    for (const [index, { key, savedAt }] of drafts.entries()) {
      if (index >= KEPT || savedAt < oldest) this.#remove(key);
    }
  }

  #keyOf(itemId: string): string {
    return `${PREFIX}${this.#user}.${itemId}`;
  }

  #keys(): string[] {
    const store = this.#store;
    if (store === null) return [];
    const keys = Array.from({ length: store.length }, (_, at) => store.key(at));
    return keys.filter((key) => key !== null).filter((key) => key.startsWith(PREFIX));
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

function parse(text: string | null): Draft | null {
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isDraft(value) ? value : null;
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

/** The browser's storage, or null where it is forbidden. */
export function browserStorage(): Storage | null {
  try {
    return localStorage;
  } catch {
    return null;
  }
}
