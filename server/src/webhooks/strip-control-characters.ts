// Text from outside, made fit to be stored and shown.

/** Control characters (the database takes no NUL) and half characters become U+FFFD; tab and line ends stay. */
export const stripControlCharacters = (text: string): string =>
  text.toWellFormed().replace(/(?![\t\n\r])\p{Cc}/gu, '\ufffd');
