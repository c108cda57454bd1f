// What one run of the bench is asked for.

export interface Options {
  /** Small numbers: shows that a section works, and measures nothing worth keeping. */
  quick: boolean;
}
