// Why: the verb that waits for its reason, the reason picked before its verb, and what the reviewer writes to it.
import type { Words } from '#lib/drafts.ts';
import { isOpenReason, type AsksWhy } from './desk-model.ts';

const NOTHING: Words = { note: '', own: '' };

export class Asking {
  /** The verb that waits for its reason. */
  verb: AsksWhy | null = $state(null);
  /** A reason chosen before its verb: pressing the verb sends it. */
  picked: string | null = $state(null);
  /** What is missing before it can go out, said in place. */
  fault: string | null = $state(null);
  /** The note and the own words of the item on show, whether their fields are open or not. */
  written: Words = $state.raw(NOTHING);
  /** False when the browser refused to store them: they last only as long as the tab. */
  lasting = $state(true);
  /** Whether a note can be written now. */
  mayNote: () => boolean = () => true;

  #own: string | null = $state(null);
  #note: string | null = $state(null);
  #keep: (words: Words) => boolean = () => true;

  /** Turns to another item: what was written for it is there again, and what is written from now on is kept by `keep`. */
  turnTo(written: Words, keep: (words: Words) => boolean): void {
    this.clear();
    this.written = written;
    this.lasting = true;
    this.#keep = keep;
  }

  /** What was written for the item on show changed elsewhere. What is open or picked here stays as it is. */
  follow(written: Words): void {
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
    if (this.mayNote()) this.note = this.written.note;
  }

  start(verb: AsksWhy): void {
    this.verb = verb;
    this.fault = null;
    this.own = null;
  }

  /** Closes what is open. What was written is kept. */
  clear(): void {
    this.verb = this.picked = this.fault = this.#own = this.#note = null;
  }

  get open(): boolean {
    return this.verb !== null || this.own !== null || this.note !== null;
  }

  #write(words: Words): void {
    if (words.note === this.written.note && words.own === this.written.own) return;
    this.written = words;
    this.lasting = this.#keep(words);
  }
}

/** The chips of the strip: the project's reasons, and a last one for the reviewer's own words where they have none for it. */
export function chipsOf(reasons: readonly string[], ownWords: string): { label: string; open: boolean }[] {
  const chips = reasons.map((label, at) => ({ label, open: at === reasons.length - 1 && isOpenReason(label) }));
  return chips.at(-1)?.open ? chips : [...chips, { label: ownWords, open: true }];
}
