// What the reader asked for while a command was under way: the last wish waits for its end, the ones before it are forgotten.

export class PendingCommand {
  #settle: ((granted: boolean) => void) | null = null;

  /** Answers what `go` answers once the wish is granted; false when another one took its place or the reader turned away. */
  wait(go: () => Promise<boolean>): Promise<boolean> {
    this.drop();
    return new Promise((resolve) => {
      this.#settle = (granted) => resolve(granted ? go() : false);
    });
  }

  /** The way is free. */
  grant(): void {
    this.#end(true);
  }

  drop(): void {
    this.#end(false);
  }

  #end(granted: boolean): void {
    const settle = this.#settle;
    this.#settle = null;
    settle?.(granted);
  }
}
