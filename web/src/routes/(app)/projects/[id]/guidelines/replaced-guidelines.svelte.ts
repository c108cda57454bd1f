// What older texts took the place of in the editor of the guidelines, until it is saved, discarded or brought back.
interface Replaced {
  /** What stood in the editor before. */
  text: string;
  version: number;
  /** The version's text, as it was put there. */
  used: string;
}

export class ReplacedTexts {
  #replaced: readonly Replaced[] = $state.raw([]);
  /** What would be brought back next. */
  readonly last = $derived(this.#replaced.at(-1) ?? null);

  /** `text` of a version takes the place of `current`. A version nobody typed on is not worth keeping. */
  put(version: number, text: string, current: string): void {
    const untouched = this.last?.used === current;
    const kept = untouched ? this.#replaced.slice(0, -1) : this.#replaced;
    const before = untouched ? (this.last?.text ?? current) : current;
    this.#replaced = before === text ? kept : [...kept, { text: before, version, used: text }];
  }

  /** What goes back into the editor; null when there is nothing. */
  restorePrevious(): string | null {
    const { last } = this;
    this.#replaced = this.#replaced.slice(0, -1);
    return last?.text ?? null;
  }

  forget(): void {
    this.#replaced = [];
  }
}
