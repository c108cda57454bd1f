// What a reviewer has typed, kept in this browser until the decision is confirmed: through reload, lapse, conflict and sign-out.
import { LocalRecords, type KeyedRecord, type RecordOptions, type Store } from './local-records.ts';

/** An unfinished edit. `text` is what stands in the editor: the answer itself, or JSON text. Times are ISO. */
export interface Draft {
  readonly text: string;
  readonly note: string;
  /** A reason of the project, or the reviewer's own words. */
  readonly reason: string | null;
  readonly savedAt: string;
}

/** What is written beside the answer and not sent yet: a note for the decision, a reason in the reviewer's own words. */
export interface Notes {
  readonly note: string;
  readonly own: string;
}

/** As they are stored, with the ISO time at which they were kept. */
type StoredNotes = Notes & Pick<Draft, 'savedAt'>;

/** What went out with a decision, so that nothing else is forgotten with it. */
export interface Sent {
  readonly draft: Draft | null;
  readonly note: string;
  readonly own: string;
}

/** Who writes: this load of a page and its tab, what is known of the other pages, and the time in ms. */
export interface Writer extends Pick<RecordOptions, 'page' | 'tab' | 'pages'> {
  readonly now: () => number;
}

const PREFIX = 'countersign.draft.';
const NOTES_PREFIX = 'countersign.words.';
const NO_NOTES: Notes = { note: '', own: '' };
/** Drafts and words nobody came back to are forgotten after this many days, or when more than `KEPT` are newer. */
const MAX_AGE_DAYS = 30;
const MAX_RECORDS = 200;

/** A page that nobody else has open. */
function onlyPage(): Writer {
  const page = crypto.randomUUID();
  return { page, tab: page, pages: { isClosed: () => true, whenClosed: () => undefined }, now: () => Date.now() };
}

/**
 * The drafts of one user in one browser. Another user of the same browser does not see them. Each page writes its own, beside
 * those of other pages (QU19).
 */
export class Drafts {
  readonly #drafts: LocalRecords<Draft>;
  readonly #notes: LocalRecords<StoredNotes>;
  readonly #now: () => number;

  constructor(user: string, store: Store | null, writer: Partial<Writer> = {}) {
    const { now, ...by } = { ...onlyPage(), ...writer };
    this.#drafts = new LocalRecords({ store, prefix: `${PREFIX}${user}.`, ...by }, draftOf);
    this.#notes = new LocalRecords({ store, prefix: `${NOTES_PREFIX}${user}.`, ...by }, notesOf);
    this.#now = now;
  }

  /** `hear` is told when another page is over: what it typed is gone on with from now on. */
  onPageClosed(listener: () => void): void {
    this.#drafts.onpageclosed = this.#notes.onpageclosed = listener;
  }

  /** Answers whether the draft will survive a reload; it is kept for this tab in any case. */
  save(itemId: string, draft: Draft): boolean {
    return this.#drafts.save(itemId, draft);
  }

  /** The draft of an item that this page goes on with, or null. What cannot be read any more counts as none. */
  read(itemId: string): Draft | null {
    return this.#drafts.read(itemId)?.value ?? null;
  }

  /** The same, to be edited: what is kept from now on takes its place. */
  open(itemId: string): Draft | null {
    return this.#drafts.open(itemId)?.value ?? null;
  }

  /** The drafts of an item that say something else than `read` does, such as one of another tab; the newest first. */
  others(itemId: string): KeyedRecord<Draft>[] {
    const here = this.read(itemId);
    const all = this.#drafts.all(itemId).filter(({ value }) => !addsNothing(value, here));
    return all.filter(({ value }, at) => all.findIndex((each) => sameDraft(each.value, value)) === at);
  }

  /** Goes on with another draft of the item; the one so far stays among the others. */
  switchTo(itemId: string, key: string): Draft | null {
    return this.#drafts.switchTo(itemId, key)?.value ?? null;
  }

  /** Forgets the draft of an item: the reviewer threw it away. What stands in another open page stays. */
  drop(itemId: string): void {
    this.#drafts.drop(itemId);
  }

  /** Forgets one of the others: the reviewer threw it away. */
  forget(key: string): void {
    this.#drafts.forget(key);
  }

  /** Keeps a note and a reason of one's own as they are typed. Answers as `keep` does. */
  saveNotes(itemId: string, { note, own }: Notes): boolean {
    const kept = { note, own, savedAt: new Date(this.#now()).toISOString() };
    if (note !== '' || own !== '') return this.#notes.save(itemId, kept);
    this.#notes.empty(itemId, kept);
    return true;
  }

  /** What was written beside the answer of an item; empty texts where nothing was. */
  notes(itemId: string): Notes {
    return notesFrom(this.#notes.read(itemId)?.value);
  }

  /** The same, to be written on: what is kept from now on takes its place. */
  openNotes(itemId: string): Notes {
    return notesFrom(this.#notes.open(itemId)?.value);
  }

  /** What was written beside the answer elsewhere and says something else; the newest first. */
  otherNotes(itemId: string): Notes[] {
    const here = this.notes(itemId);
    return this.#notes
      .all(itemId)
      .map(({ value: { note, own } }) => ({ note, own }))
      .filter(({ note, own }) => (note !== '' && note !== here.note) || (own !== '' && own !== here.own));
  }

  /** A decision is confirmed: what went out with it is forgotten. What another tab typed meanwhile did not go out and stays. */
  sent(itemId: string, { draft, note, own }: Sent): void {
    for (const { key, value } of draft === null ? [] : this.#drafts.all(itemId))
      if (addsNothing(value, draft)) this.#drafts.forget(key);
    const notes = this.openNotes(itemId);
    const rest = { note: notes.note === note ? '' : notes.note, own: notes.own === own ? '' : notes.own };
    if (notes.note !== rest.note || notes.own !== rest.own) this.saveNotes(itemId, rest);
    for (const { key, value } of this.#notes.all(itemId)) {
      const left = [value.note === note ? '' : value.note, value.own === own ? '' : value.own];
      if (left.every((each) => each === '')) this.#notes.forget(key);
    }
  }

  /** Another tab of this browser wrote something. Answers the item it concerns, null when it is none of this reader's. */
  onStorage(event: Pick<StorageEvent, 'key' | 'newValue' | 'oldValue'>): string | null {
    return this.#drafts.onStorage(event) ?? this.#notes.onStorage(event);
  }

  /** Clears out drafts and words that are old or too many, the oldest first. `now` in ms. */
  removeOld(now: number): void {
    for (const kept of [this.#drafts, this.#notes]) kept.removeOld(now - MAX_AGE_DAYS * 86_400_000, MAX_RECORDS);
  }
}

const notesFrom = (kept: Notes | undefined): Notes =>
  kept === undefined ? NO_NOTES : { note: kept.note, own: kept.own };

function draftOf(stored: unknown): Draft | null {
  if (typeof stored !== 'object' || stored === null) return null;
  const { text, note, reason, savedAt }: Partial<Record<keyof Draft, unknown>> = stored;
  if (typeof text !== 'string' || typeof note !== 'string' || typeof savedAt !== 'string') return null;
  return reason === null || typeof reason === 'string' ? { text, note, reason, savedAt } : null;
}

/** Whether a draft says nothing that the other does not say too, such as the same answer that has no reason yet. */
const addsNothing = (part: Draft, whole: Draft | null): boolean =>
  part.text === whole?.text &&
  (part.note === '' || part.note === whole.note) &&
  (part.reason === null || part.reason === whole.reason);

/** Whether two drafts hold the same, whenever they were kept. */
export const sameDraft = (a: Draft | null, b: Draft | null): boolean =>
  a?.text === b?.text && a?.note === b?.note && a?.reason === b?.reason;

function notesOf(stored: unknown): StoredNotes | null {
  if (typeof stored !== 'object' || stored === null) return null;
  const { note, own, savedAt }: Partial<Record<keyof StoredNotes, unknown>> = stored;
  const texts = typeof note === 'string' && typeof own === 'string' && typeof savedAt === 'string';
  return texts ? { note, own, savedAt } : null;
}

/** The browser's storage, or null where it is forbidden. */
export function browserStorage(): Storage | null {
  try {
    return localStorage;
  } catch {
    return null;
  }
}
