// Writes JSON text on a single line.

/**
 * LX2: JSON text on one line for every reader. Raw line ends occur only between tokens, where a space is equivalent;
 * the characters in strings that some readers treat as line ends (U+0085, U+2028, U+2029) are escaped.
 */
export const oneLine = (json: string): string =>
  json
    .replaceAll(/[\r\n]/g, ' ')
    .replaceAll(/[\u0085\u2028\u2029]/g, (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`);
