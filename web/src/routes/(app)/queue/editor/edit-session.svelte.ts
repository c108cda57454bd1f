// One edit in progress: its text, saved as a draft while typing, and validated on submission.
import type { Draft, Drafts } from '#lib/drafts/drafts.ts';
import { stillPending, type PendingText } from '#lib/form/pending.ts';
import { clock } from '#lib/time/clock.svelte.ts';
import { isoOf } from '#lib/format/format.ts';
import { itemMessages } from '#lib/messages/item-messages.ts';
import { parseJson, printJson } from '#lib/values/json/lossless.ts';
import type { KeyedRecord } from '#lib/drafts/local-records.ts';
import { keepLineEnds, withLf } from '#lib/format/line-endings.ts';
import type { Json } from '@countersign/shared/json/json';
import type { validateEdit as Validate } from './edit-validation.ts';
import {
  editable,
  editKindOf,
  formOf,
  pendingIn,
  subjectOf,
  textOf,
  withField,
  type EditedItem,
  type EditKind,
  type Form,
} from './edit-model.ts';

/** The validator loads with the editor, after the first screen; before that there is nothing to submit. */
let validateEdit: typeof Validate | null = null;

/** Called by the editor's parts once they have loaded. */
export function provideValidator(validator: typeof Validate): void {
  validateEdit = validator;
}

/** The input of a decision besides its action. */
export interface DecisionInput {
  output?: Json;
  reason?: string;
  note?: string;
  /** For `respond`: the answer in words. */
  response?: string;
}

/** A pause in typing of this many ms saves the draft; leaving the page saves it at once. */
const PAUSE_MS = 250;

export class EditSession {
  text = $state('');
  note = $state('');
  reason: string | null = $state(null);
  /** When the draft was last saved (ISO), null before anything was typed. */
  savedAt: string | null = $state(null);
  /** False when the browser refused to store it: it lasts only as long as the tab. */
  persisted = $state(true);
  /** Why the submission is blocked, shown in place. */
  fault: string | null = $state(null);

  /** The fields, while the answer is edited field by field; `text` follows them. */
  form: Form | null = $state.raw(null);
  /** What is typed in fields of the form and is not yet a value: nothing is sent before it is. */
  pending: readonly PendingText[] = $state.raw([]);
  /** The text of a form that nobody has filled in yet: what must be there in any case. */
  started = '';
  /** The text whose changed shape caused a warning on submission; submitting the same text again sends it. */
  warned: string | null = $state(null);
  /** Incremented when a submission is blocked, so that the cause is scrolled into view. */
  blockedCount = $state(0);
  /** Only the note keeps the last submission from being sent: it is too long. */
  noteBlocks = $state(false);
  /** Only the reason is missing: selecting one submits the edit. */
  needsReason = $state(false);
  /** Other drafts of this item, such as one that was typed in another tab. */
  others: readonly KeyedRecord<Draft>[] = $state.raw([]);

  /** The form is shown, not the JSON. */
  asForm = $state(true);

  readonly item: EditedItem;
  readonly kind: EditKind;
  /** What is edited, as it was suggested; null where a person writes the answer. */
  readonly subject: Json;
  readonly schema: Json | null;
  readonly original: string;
  readonly #drafts: Drafts;
  /** The text that the edit begins with. */
  #start: string;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(drafts: Drafts, item: EditedItem) {
    this.#drafts = drafts;
    this.item = item;
    this.kind = editKindOf(item);
    this.schema = item.answer_schema ?? null;
    this.subject = subjectOf(item);
    this.original = this.subject === null && item.has_suggestion === false ? '' : editable(this.subject, this.kind);
    this.#start = this.original;
    this.#show(drafts.open(item.id));
  }

  #show(draft: Draft | null): void {
    // A draft of an earlier version may have lost the line endings.
    this.text = keepLineEnds(this.original, draft === null ? this.original || this.started : this.#textOf(draft));
    this.pending = draft?.pending ?? [];
    this.note = draft?.note ?? '';
    this.reason = draft?.reason ?? null;
    this.savedAt = draft?.savedAt ?? null;
    this.fault = this.warned = null;
    this.needsReason = false;
    this.asForm = true;
    if (this.form !== null || this.kind === 'form') this.form = formOf(this.text, this.original, this.pending);
    this.refreshOtherDrafts();
  }

  /** A text that is edited as JSON. */
  get #isText(): boolean {
    return this.kind !== 'text' && typeof this.subject === 'string';
  }

  /** A draft of an earlier version has the text of such an answer as it is, or an object that was typed instead. */
  #textOf({ text, json }: Draft): string {
    return this.#isText && json !== true && !/^\s*[{[]/.test(text) ? printJson(text) : text;
  }

  /** Begins with another answer than the suggestion, such as the one of a decision, unless a draft is continued. */
  startFrom(output: Json): void {
    this.#start = keepLineEnds(this.original, editable(subjectOf({ ...this.item, suggestion: output }), this.kind));
    if (this.savedAt !== null) return;
    this.text = this.#start;
    if (this.form !== null) this.form = formOf(this.text, this.original);
  }

  /** A form starts with what must be there in any case: its constants, and required objects and lists. */
  begin(text: string): void {
    this.started = text;
    if (this.#start === '') this.#start = text;
    if (this.text === '') this.text = text;
  }

  /** Whether the answer differs from the one that it began with. */
  get typed(): boolean {
    return this.pending.length > 0 || this.text !== this.#start;
  }

  /** Takes what a form has written. */
  fill(text: string, pending: readonly PendingText[]): void {
    this.text = text;
    this.pending = pending;
    this.changed();
  }

  /** Looks for other drafts of the item: another tab may have saved or sent one. */
  refreshOtherDrafts(): void {
    this.others = this.#drafts.others(this.item.id).filter(({ value }) => value.text !== this.text);
  }

  /** Switches to another draft of the item; the present one stays among the others. */
  turnToDraft(key: string): void {
    this.save();
    const draft = this.#drafts.switchTo(this.item.id, key);
    if (draft !== null) this.#show(draft);
  }

  /** Discards another draft of the item. */
  forget(key: string): void {
    this.#drafts.forget(key);
    this.refreshOtherDrafts();
  }

  /** The text as a form field holds it, with LF line endings. */
  get shown(): string {
    return withLf(this.text);
  }

  /** The answer as people copy it: a text without the quotes of its JSON. */
  get readable(): string {
    try {
      const value = this.#isText ? parseJson(this.text) : null;
      return typeof value === 'string' ? value : this.text;
    } catch {
      return this.text;
    }
  }

  /** Takes the whole text of the field; unchanged lines retain their endings (QU18). */
  write(typed: string): void {
    this.text = keepLineEnds(this.original, typed);
    this.pending = stillPending(this.pending, this.text);
    this.changed();
  }

  /** Switches between form and JSON. Returns whether the text fits the form. */
  switchTo(kind: 'form' | 'json'): boolean {
    this.asForm = kind === 'form';
    if (this.kind === 'schema') return true;
    this.form = kind === 'form' ? formOf(this.text, this.original, this.pending) : null;
    return kind === 'json' || this.form !== null;
  }

  /** Takes the content of one field; every character of the others stays. */
  type(at: number, typed: string): void {
    if (this.form === null) return;
    this.form = withField(this.form, at, typed);
    this.fill(textOf(this.form), pendingIn(this.form));
  }

  /** Called after each change of the text, note or reason. */
  changed(): void {
    this.fault = null;
    this.needsReason = false;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.save(), PAUSE_MS);
  }

  choose(reason: string): void {
    this.reason = reason;
    this.changed();
  }

  /** Saves the draft now if a change is unsaved. */
  save(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { text, note, reason, pending } = this;
    // Text that was typed and reverted is no edit.
    if (!this.typed && note === '' && reason === null) return this.#drop();
    const savedAt = isoOf(clock.read());
    this.savedAt = savedAt;
    const marks = { ...(this.#isText && { json: true as const }), ...(pending.length > 0 && { pending }) };
    const draft = { text, note, reason, savedAt, ...marks };
    this.persisted = this.#drafts.save(this.item.id, draft);
    this.refreshOtherDrafts();
  }

  #drop(): void {
    this.#drafts.drop(this.item.id);
    this.savedAt = null;
    this.refreshOtherDrafts();
  }

  /** Resets to the suggestion. */
  reset(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#drafts.drop(this.item.id);
    this.#show(null);
  }

  /**
   * The input of the decision, or null when something blocks it, which is then shown in place. A changed shape blocks it once:
   * submitting the same text again confirms it. Where only the reason is missing, the page asks for it.
   */
  submission(): DecisionInput | null {
    if (validateEdit === null) return null;
    const { read, fault, shapeBreaches, noteFault } = validateEdit(this, this.text);
    const sendable = read.ok && fault === null;
    const meant = shapeBreaches.length === 0 || this.warned === this.text;
    // Without a suggestion there is nothing that was wrong.
    const reasoned = this.reason !== null || this.item.has_suggestion === false;
    this.noteBlocks = sendable && meant && noteFault !== null;
    this.needsReason = sendable && meant && noteFault === null && !reasoned;
    this.fault = fault ?? (this.noteBlocks ? noteFault : this.needsReason ? itemMessages.edit.noReason : null);
    if (sendable && !meant) this.warned = this.text;
    if (!read.ok || !sendable || !meant || !reasoned || this.noteBlocks) {
      this.blockedCount += 1;
      return null;
    }
    const note = this.note.trim();
    const reason = this.reason === null ? {} : { reason: this.reason };
    return { output: read.output, ...reason, ...(note === '' ? {} : { note }) };
  }
}
