// State of a user's request: whether it is running, and why it failed. What a page loads automatically is a Resource.

export class Mutation {
  pending = $state(false);
  error: unknown = $state.raw(null);

  /** Runs `act`, and returns whether it succeeded. Never throws: the cause is in `error`. */
  async run(act: () => Promise<unknown>): Promise<boolean> {
    this.pending = true;
    this.error = null;
    try {
      await act();
    } catch (reason) {
      this.error = reason;
    }
    this.pending = false;
    return this.error === null;
  }

  /** Clears the last error. */
  forget(): void {
    this.error = null;
  }
}
