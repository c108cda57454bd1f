// One edit under way: what was typed, kept as a draft as it is typed, and read as an answer when it is submitted.
import type { Drafts } from '#lib/drafts.ts';
import { clock } from '#lib/clock.svelte.ts';
import type { ItemDetail } from '@countersign/shared/item';
import { editable, isoOf, readEdit, type Edit } from './desk-model.ts';

/** A pause in typing of this many ms keeps the draft; leaving the page keeps it at once. */
const PAUSE_MS = 250;

export class EditSession {
  text = $state('');
  note = $state('');
  reason: string | null = $state(null);
  /** When the draft was last kept (ISO), null before anything was typed. */
  savedAt: string | null = $state(null);
  /** False when the browser refused to store it: it lasts only as long as the tab. */
  lasting = $state(true);
  /** What stops the submission, said in place. */
  fault: string | null = $state(null);

  readonly item: Pick<ItemDetail, 'id' | 'suggestion'>;
  readonly original: string;
  readonly #drafts: Drafts;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(drafts: Drafts, item: Pick<ItemDetail, 'id' | 'suggestion'>) {
    const draft = drafts.read(item.id);
    this.#drafts = drafts;
    this.item = item;
    this.original = editable(item.suggestion);
    this.text = draft?.text ?? this.original;
    this.note = draft?.note ?? '';
    this.reason = draft?.reason ?? null;
    this.savedAt = draft?.savedAt ?? null;
  }

  /** Something was typed or chosen. */
  changed(): void {
    this.fault = null;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.keep(), PAUSE_MS);
  }

  choose(reason: string): void {
    this.reason = reason;
    this.changed();
  }

  /** Keeps the draft now, if anything waits to be kept. */
  keep(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.savedAt = isoOf(clock.read());
    const { text, note, reason, savedAt } = this;
    this.lasting = this.#drafts.keep(this.item.id, { text, note, reason, savedAt });
  }

  /** Back to the suggestion. */
  reset(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.text = this.original;
    this.note = '';
    this.reason = null;
    this.savedAt = null;
    this.fault = null;
    this.#drafts.drop(this.item.id);
  }

  /** What stands in the editor, as the kind of value the suggestion is. */
  read(): Edit {
    return readEdit(this.item.suggestion, this.text);
  }
}
