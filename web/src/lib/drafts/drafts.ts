// Stores a reviewer's drafts in this browser until the decision is confirmed.
import { isPendingText, type PendingText } from '#lib/form/pending.ts';
import { LocalRecords, type KeyedRecord, type RecordOptions, type Store } from './local-records.ts';

/** An unfinished edit. `text` is the editor's text: the answer itself, or JSON text. Times are ISO. */
export interface Draft {
  readonly text: string;
  readonly note: string;
  /** A reason of the project, or a custom one. */
  readonly reason: string | null;
  readonly savedAt: string;
  /** The answer is a text, and `text` is its JSON. Without it, a draft of such an answer is the text itself. */
  readonly json?: true;
  /** What is typed in fields of its form and is not yet a value; absent where there is none. */
  readonly pending?: readonly PendingText[];
}

/** Unsent texts beside the answer: a note for the decision, a custom reason, and an answer in words where there is one. */
export interface Notes {
  readonly note: string;
  readonly own: string;
  readonly response?: string;
}

const NOTE_FIELDS = ['note', 'own', 'response'] as const;

/** In their stored form, with the ISO time of saving. */
type StoredNotes = Notes & Pick<Draft, 'savedAt'>;

/** The texts sent with a decision, so that nothing else is deleted with it. */
export interface Sent {
  readonly draft: Draft | null;
  readonly note: string;
  readonly own: string;
  readonly response?: string;
}

/** The writing page: its load and its tab, its knowledge of other pages, and the time in ms. */
export interface Writer extends Pick<RecordOptions, 'page' | 'tab' | 'pages'> {
  readonly now: () => number;
}

const PREFIX = 'countersign.draft.';
const NOTES_PREFIX = 'countersign.words.';
const NO_NOTES: Notes = { note: '', own: '' };
/** Drafts and notes are deleted after this many days, or when more than `MAX_RECORDS` are newer. */
const MAX_AGE_DAYS = 30;
const MAX_RECORDS = 200;

/** A page that no other page has open. */
function onlyPage(): Writer {
  const page = crypto.randomUUID();
  return { page, tab: page, pages: { isClosed: () => true, whenClosed: () => undefined }, now: () => Date.now() };
}

/**
 * The drafts of one user in one browser. Other users of the same browser do not see them. Each page writes its own, beside those
 * of other pages (QU19).
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

  /** Calls `listener` when another page has closed: its drafts are continued from now on. */
  onPageClosed(listener: () => void): void {
    this.#drafts.onpageclosed = this.#notes.onpageclosed = listener;
  }

  /** Returns whether the draft will survive a reload; it is saved for this tab in any case. */
  save(itemId: string, draft: Draft): boolean {
    return this.#drafts.save(itemId, draft);
  }

  /** The item's draft that this page continues, or null. A draft that cannot be parsed counts as none. */
  read(itemId: string): Draft | null {
    return this.#drafts.read(itemId)?.value ?? null;
  }

  /** The same, for editing: the next save replaces it. */
  open(itemId: string): Draft | null {
    return this.#drafts.open(itemId)?.value ?? null;
  }

  /** The item's drafts that differ from `read`, such as one of another tab; the newest first. */
  others(itemId: string): KeyedRecord<Draft>[] {
    const here = this.read(itemId);
    const all = this.#drafts.all(itemId).filter(({ value }) => !addsNothing(value, here));
    return all.filter(({ value }, at) => all.findIndex((each) => sameDraft(each.value, value)) === at);
  }

  /** Switches to another draft of the item; the present one stays among the others. */
  switchTo(itemId: string, key: string): Draft | null {
    return this.#drafts.switchTo(itemId, key)?.value ?? null;
  }

  /** Deletes the draft of an item, which the reviewer discarded. A draft in another open page stays. */
  drop(itemId: string): void {
    this.#drafts.drop(itemId);
  }

  /** Deletes one of the others, which the reviewer discarded. */
  forget(key: string): void {
    this.#drafts.forget(key);
  }

  /** Saves a note and a custom reason while typing. Returns as `save` does. */
  saveNotes(itemId: string, notes: Notes): boolean {
    const kept = { ...notesFrom(notes), savedAt: new Date(this.#now()).toISOString() };
    if (hasNotes(notes)) return this.#notes.save(itemId, kept);
    this.#notes.empty(itemId, kept);
    return true;
  }

  /** The notes of an item; empty texts where there are none. */
  notes(itemId: string): Notes {
    return notesFrom(this.#notes.read(itemId)?.value);
  }

  /** The same, for editing: the next save replaces them. */
  openNotes(itemId: string): Notes {
    return notesFrom(this.#notes.open(itemId)?.value);
  }

  /** Notes of other pages that differ; the newest first. */
  otherNotes(itemId: string): Notes[] {
    const here = this.notes(itemId);
    return this.#notes
      .all(itemId)
      .map(({ value }) => notesFrom(value))
      .filter((other) => NOTE_FIELDS.some((field) => (other[field] ?? '') !== '' && other[field] !== here[field]));
  }

  /** A decision is confirmed: the texts sent with it are deleted. What another tab typed meanwhile was not sent and stays. */
  sent(itemId: string, { draft, ...sent }: Sent): void {
    for (const { key, value } of draft === null ? [] : this.#drafts.all(itemId))
      if (addsNothing(value, draft)) this.#drafts.forget(key);
    const notes = this.openNotes(itemId);
    const rest = unsentOf(notes, sent);
    if (!sameNotes(notes, rest)) this.saveNotes(itemId, rest);
    for (const { key, value } of this.#notes.all(itemId)) if (!hasNotes(unsentOf(value, sent))) this.#notes.forget(key);
  }

  /** Another tab of this browser wrote a record. Returns its item, null when it is not one of this user's. */
  onStorage(event: Pick<StorageEvent, 'key' | 'newValue' | 'oldValue'>): string | null {
    return this.#drafts.onStorage(event) ?? this.#notes.onStorage(event);
  }

  /** Deletes drafts and notes that are old or too many, the oldest first. `now` in ms. */
  removeOld(now: number): void {
    for (const kept of [this.#drafts, this.#notes]) kept.removeOld(now - MAX_AGE_DAYS * 86_400_000, MAX_RECORDS);
  }
}

function notesFrom(kept: Notes | undefined): Notes {
  if (kept === undefined) return NO_NOTES;
  const { note, own, response = '' } = kept;
  return response === '' ? { note, own } : { note, own, response };
}

/** Whether any of them has a text. */
export const hasNotes = (notes: Notes): boolean => NOTE_FIELDS.some((field) => (notes[field] ?? '') !== '');

export const sameNotes = (one: Notes, other: Notes): boolean =>
  NOTE_FIELDS.every((field) => (one[field] ?? '') === (other[field] ?? ''));

/** What remains of notes when these texts were sent. */
function unsentOf(notes: Notes, sent: Notes): Notes {
  const left = (field: (typeof NOTE_FIELDS)[number]) => (notes[field] === sent[field] ? '' : (notes[field] ?? ''));
  return notesFrom({ note: left('note'), own: left('own'), response: left('response') });
}

function draftOf(stored: unknown): Draft | null {
  if (typeof stored !== 'object' || stored === null) return null;
  const { text, note, reason, savedAt, json, pending }: Partial<Record<keyof Draft, unknown>> = stored;
  if (typeof text !== 'string' || typeof note !== 'string' || typeof savedAt !== 'string') return null;
  if (reason !== null && typeof reason !== 'string') return null;
  const marks = json === true ? ({ json } as const) : {};
  const typed = Array.isArray(pending) ? { pending: pending.filter(isPendingText) } : {};
  return { text, note, reason, savedAt, ...marks, ...typed };
}

/** Whether a draft contains nothing beyond the other, such as the same answer without a reason. */
const addsNothing = (part: Draft, whole: Draft | null): boolean =>
  part.text === whole?.text &&
  (part.note === '' || part.note === whole.note) &&
  (part.reason === null || part.reason === whole.reason);

/** Whether two drafts have the same content, at any time of saving. */
export const sameDraft = (a: Draft | null, b: Draft | null): boolean =>
  a?.text === b?.text && a?.note === b?.note && a?.reason === b?.reason;

function notesOf(stored: unknown): StoredNotes | null {
  if (typeof stored !== 'object' || stored === null) return null;
  const { note, own, response, savedAt }: Partial<Record<keyof StoredNotes, unknown>> = stored;
  const texts = typeof note === 'string' && typeof own === 'string' && typeof savedAt === 'string';
  return texts ? { ...notesFrom({ note, own, ...(typeof response === 'string' && { response }) }), savedAt } : null;
}
