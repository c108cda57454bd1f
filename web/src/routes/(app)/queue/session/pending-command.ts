// The pending command: the last one requested while another ran waits for its end, earlier ones are dropped.

export class PendingCommand {
  #settle: ((granted: boolean) => void) | null = null;

  /** Resolves to the result of `go` once the command may run; to false when another one replaced it or the user moved on. */
  wait(go: () => Promise<boolean>): Promise<boolean> {
    this.drop();
    return new Promise((resolve) => {
      this.#settle = (granted) => resolve(granted ? go() : false);
    });
  }

  /** The running command has ended. */
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
