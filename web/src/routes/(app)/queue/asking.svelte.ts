// Why: the verb that waits for its reason, the reason picked before its verb, and the reviewer's own words for it.
import { isOpenReason, type AsksWhy } from './desk-model.ts';

export class Asking {
  /** The verb that waits for its reason. */
  verb: AsksWhy | null = $state(null);
  /** A reason chosen before its verb: pressing the verb sends it. */
  picked: string | null = $state(null);
  /** What is being written instead of choosing; null while the field is closed. */
  own: string | null = $state(null);

  start(verb: AsksWhy): void {
    this.verb = verb;
    this.own = null;
  }

  clear(): void {
    this.verb = this.picked = this.own = null;
  }

  get open(): boolean {
    return this.verb !== null || this.own !== null;
  }
}

/** The chips of the strip: the project's reasons, and a last one for the reviewer's own words where they have none for it. */
export function chipsOf(reasons: readonly string[], ownWords: string): { label: string; open: boolean }[] {
  const chips = reasons.map((label, at) => ({ label, open: at === reasons.length - 1 && isOpenReason(label) }));
  return chips.at(-1)?.open ? chips : [...chips, { label: ownWords, open: true }];
}
