// Cuts what a message quotes from a schema, which may have thousands of characters.

const SHOWN_CHARACTERS = 80;

/** The text, cut where it is long. */
export const shorten = (text: string): string =>
  text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS).toWellFormed()}…`;
