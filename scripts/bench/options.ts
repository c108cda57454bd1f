// The options of one bench run.

export interface Options {
  /** Small numbers: shows that a section works, without a useful measurement. */
  quick: boolean;
  /** Of the section load: Lighthouse runs per page and theme, 0 for none. */
  runs?: number;
  /** Of the section load: parts of the paths of the pages to open. */
  pages?: string[];
}
