// The callers of the review session's commands, each told the result once.

export class Callers {
  readonly #waiting = new Map<number, (result: boolean) => void>();
  #last = 0;

  /** Calls `ask` with the number of a new caller; resolves to its result. */
  add(ask: (caller: number) => void): Promise<boolean> {
    const caller = ++this.#last;
    return new Promise((resolve) => {
      this.#waiting.set(caller, resolve);
      ask(caller);
    });
  }

  tell(caller: number, result: boolean): void {
    this.#waiting.get(caller)?.(result);
    this.#waiting.delete(caller);
  }
}
