// The options of one bench run.

export interface Options {
  /** Small numbers: shows that a section works, without a useful measurement. */
  quick: boolean;
}
