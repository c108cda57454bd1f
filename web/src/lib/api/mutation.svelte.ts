// Something a person asked for: whether it is under way, and why it failed. What a page fetches by itself is a Resource.

export class Mutation {
  pending = $state(false);
  error: unknown = $state.raw(null);

  /** Runs `act`, and answers whether it went well. Never throws: the reason stands in `error`. */
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

  /** Forgets why the last one failed. */
  forget(): void {
    this.error = null;
  }
}
