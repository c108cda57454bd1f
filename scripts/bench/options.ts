// The options of one bench run.

export interface Options {
  /** Small numbers: shows that a section works, without a useful measurement. */
  quick: boolean;
  /** Of the section load: Lighthouse runs per page and theme, 0 for none. */
  runs?: number;
  /** Of the section load: parts of the paths of the pages to open. */
  pages?: string[];
  /** Of the section day: items of the day (default: 1,000,000). */
  items?: number;
  /** Of the section day: the file of its picture. */
  picture?: string;
}
