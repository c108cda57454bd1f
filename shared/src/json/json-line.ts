// JSON text in a file of lines.

/**
 * LX2: JSON text on one line for every reader. Line ends stand only between tokens, where a space is as good; what some readers
 * take for a line end inside a string (U+0085, U+2028, U+2029) is written as its escape.
 */
export const oneLine = (json: string): string =>
  json
    .replaceAll(/[\r\n]/g, ' ')
    .replaceAll(/[\u0085\u2028\u2029]/g, (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`);
