// Makes external text safe to store and display.

/** Control characters (PostgreSQL does not accept NUL) and lone surrogates become U+FFFD; tabs and line ends stay. */
export const stripControlCharacters = (text: string): string =>
  text.toWellFormed().replace(/(?![\t\n\r])\p{Cc}/gu, '\ufffd');
