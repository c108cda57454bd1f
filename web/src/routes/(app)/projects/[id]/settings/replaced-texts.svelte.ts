// Texts that older versions replaced in the guidelines editor, until it is saved, discarded or restored.

interface Replaced {
  /** The text of the editor before. */
  text: string;
  version: number;
  /** The version's text, as it was inserted. */
  used: string;
}

export class ReplacedTexts {
  #replaced: readonly Replaced[] = $state.raw([]);
  /** The text that would be restored next. */
  readonly last = $derived(this.#replaced.at(-1) ?? null);

  /** `text` of a version replaces `current`. An inserted version without changes need not be restored. */
  put(version: number, text: string, current: string): void {
    const untouched = this.last?.used === current;
    const kept = untouched ? this.#replaced.slice(0, -1) : this.#replaced;
    const before = untouched ? (this.last?.text ?? current) : current;
    this.#replaced = before === text ? kept : [...kept, { text: before, version, used: text }];
  }

  /** Returns the text to restore; null when there is none. */
  restorePrevious(): string | null {
    const { last } = this;
    this.#replaced = this.#replaced.slice(0, -1);
    return last?.text ?? null;
  }

  forget(): void {
    this.#replaced = [];
  }
}
