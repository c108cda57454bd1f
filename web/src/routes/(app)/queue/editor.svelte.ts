// One edit under way: what was typed, kept as a draft as it is typed, and read as an answer when it is submitted.
import type { Drafts } from '#lib/drafts.ts';
import { clock } from '#lib/clock.svelte.ts';
import { itemText } from '#lib/item-text.ts';
import type { ItemDetail } from '@countersign/shared/item';
import type { Words } from './decider.ts';
import { isoOf } from './desk-model.ts';
import type { judge as Judge } from './edit-judge.ts';
import { editable, editKind, formOf, textOf, withField, type Form } from './edit-model.ts';

/** How an edit is read comes with the editor itself, which is fetched after the first screen: before that there is nothing to submit. */
let judge: typeof Judge | null = null;

/** For the editor's own parts, when they are there. */
export function bringJudge(brought: typeof Judge): void {
  judge = brought;
}

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

  /** The fields, while the answer is edited field by field; `text` follows them. */
  form: Form | null = $state.raw(null);
  /** The text whose changed shape was pointed out when it was to be submitted; submitting that again sends it. */
  warned: string | null = $state(null);

  readonly item: Pick<ItemDetail, 'id' | 'suggestion'>;
  readonly kind: ReturnType<typeof editKind>;
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
    this.kind = editKind(item.suggestion);
    if (this.kind === 'form') this.form = formOf(this.text);
  }

  /** Edits field by field, or as JSON. Answers whether the text is what a form can hold. */
  turnTo(kind: 'form' | 'json'): boolean {
    this.form = kind === 'form' ? formOf(this.text) : null;
    return kind === 'json' || this.form !== null;
  }

  /** A field was typed in; of all others every character stays. */
  type(at: number, typed: string): void {
    if (this.form === null) return;
    this.form = withField(this.form, at, typed);
    this.text = textOf(this.form);
    this.changed();
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
    this.warned = null;
    if (this.form !== null || this.kind === 'form') this.form = formOf(this.text);
    this.#drafts.drop(this.item.id);
  }

  /**
   * What goes out with the decision, or null when something stops it; then it is said in place. A changed shape stops it
   * once: whoever submits the same text again means it.
   */
  submission(): Words | null {
    if (judge === null) return null;
    const { read, fault, broke } = judge(this.item.suggestion, this.text);
    this.fault = fault ?? (this.reason === null ? itemText.edit.noReason : null);
    if (this.fault !== null || !read.ok || this.reason === null) return null;
    if (broke.length > 0 && this.warned !== this.text) {
      this.warned = this.text;
      return null;
    }
    const note = this.note.trim();
    return { output: read.output, reason: this.reason, ...(note === '' ? {} : { note }) };
  }
}
