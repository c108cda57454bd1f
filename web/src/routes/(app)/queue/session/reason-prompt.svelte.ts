// Why: the verb that waits for its reason, the reason picked before its verb, and what the reviewer writes to it.
import type { Notes } from '#lib/drafts/drafts.ts';
import { isOpenReason, type ReasonedAction } from './review-rules.ts';

const NOTHING: Notes = { note: '', own: '' };

export class ReasonPrompt {
  /** The verb that waits for its reason. */
  action: ReasonedAction | null = $state(null);
  /** A reason chosen before its verb: pressing the verb sends it. */
  picked: string | null = $state(null);
  /** What is missing before it can go out, said in place. */
  fault: string | null = $state(null);
  /** The note and the own words of the item on show, whether their fields are open or not. */
  written: Notes = $state.raw(NOTHING);
  /** False when the browser refused to store them: they last only as long as the tab. */
  persisted = $state(true);
  /** Whether a note can be written now. */
  noteAllowed: () => boolean = () => true;

  #own: string | null = $state(null);
  #note: string | null = $state(null);
  #save: (words: Notes) => boolean = () => true;

  /** Turns to another item: what was written for it is there again, and what is written from now on is kept by `keep`. */
  switchTo(written: Notes, save: (words: Notes) => boolean): void {
    this.clear();
    this.written = written;
    this.persisted = true;
    this.#save = save;
  }

  /** What was written for the item on show changed elsewhere. What is open or picked here stays as it is. */
  follow(written: Notes): void {
    if (!this.open) this.written = written;
  }

  /** What is being written instead of choosing a reason; null while the field is closed. */
  get own(): string | null {
    return this.#own;
  }

  set own(value: string | null) {
    // Opening the field brings back what was written in it before.
    this.#own = value === '' && this.#own === null ? this.written.own : value;
    if (this.#own !== null) this.#write({ ...this.written, own: this.#own });
  }

  /** The note under the pen; null while its field is closed. What was written stays and goes out with the next decision. */
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

  /** Closes what is open. What was written is kept. */
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

/** The chips of the strip: the project's reasons, and a last one for the reviewer's own words where they have none for it. */
export function chipsOf(reasons: readonly string[], ownReasonLabel: string): { label: string; open: boolean }[] {
  const chips = reasons.map((label, at) => ({ label, open: at === reasons.length - 1 && isOpenReason(label) }));
  return chips.at(-1)?.open ? chips : [...chips, { label: ownReasonLabel, open: true }];
}
