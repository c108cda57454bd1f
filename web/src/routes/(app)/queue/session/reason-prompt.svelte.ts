// The reason prompt: the action that waits for its reason, the reason selected before its action, and the user's texts.
import type { Notes } from '#lib/drafts/drafts.ts';
import { isOpenReason, type ReasonedAction } from './review-rules.ts';

const NOTHING: Notes = { note: '', own: '' };

export class ReasonPrompt {
  /** The action that waits for its reason. */
  action: ReasonedAction | null = $state(null);
  /** A reason selected before its action: pressing the action sends it. */
  picked: string | null = $state(null);
  /** What is missing before it can be sent, shown in place. */
  fault: string | null = $state(null);
  /** The note and the custom reason of the open item, whether their fields are open or not. */
  written: Notes = $state.raw(NOTHING);
  /** False when the browser refused to store them: they last only as long as the tab. */
  persisted = $state(true);
  /** Whether a note can be written now. */
  noteAllowed: () => boolean = () => true;

  #own: string | null = $state(null);
  #note: string | null = $state(null);
  #save: (words: Notes) => boolean = () => true;

  /** Switches to another item: restores its saved texts, and saves later input through `save`. */
  switchTo(written: Notes, save: (words: Notes) => boolean): void {
    this.clear();
    this.written = written;
    this.persisted = true;
    this.#save = save;
  }

  /** The saved texts of the open item changed elsewhere. Open fields and the selected reason stay as they are. */
  follow(written: Notes): void {
    if (!this.open) this.written = written;
  }

  /** The custom reason being typed; null while its field is closed. */
  get own(): string | null {
    return this.#own;
  }

  set own(value: string | null) {
    // Opening the field restores its previous text.
    this.#own = value === '' && this.#own === null ? this.written.own : value;
    if (this.#own !== null) this.#write({ ...this.written, own: this.#own });
  }

  /** The note being typed; null while its field is closed. Its text is retained and sent with the next decision. */
  get note(): string | null {
    return this.#note;
  }

  set note(value: string | null) {
    this.#note = value;
    this.fault = null;
    if (value !== null) this.#write({ ...this.written, note: value });
  }

  openNote(): void {
    if (this.noteAllowed()) this.note = this.written.note;
  }

  start(action: ReasonedAction): void {
    this.action = action;
    this.fault = null;
    this.own = null;
  }

  /** Closes what is open. The texts are retained. */
  clear(): void {
    this.action = this.picked = this.fault = this.#own = this.#note = null;
  }

  get open(): boolean {
    return this.action !== null || this.own !== null || this.note !== null;
  }

  #write(words: Notes): void {
    if (words.note === this.written.note && words.own === this.written.own) return;
    this.written = words;
    this.persisted = this.#save(words);
  }
}

/** The chips of the bar: the project's reasons, and a last one for a custom reason where they contain none. */
export function chipsOf(reasons: readonly string[], ownReasonLabel: string): { label: string; open: boolean }[] {
  const chips = reasons.map((label, at) => ({ label, open: at === reasons.length - 1 && isOpenReason(label) }));
  return chips.at(-1)?.open ? chips : [...chips, { label: ownReasonLabel, open: true }];
}
