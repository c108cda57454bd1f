// Recognizes texts written in Markdown or HTML. Conservative: a text that only resembles one is shown as it is.

/** One of these is enough: a fence, a link, a table, or bold words. */
const SURE = [
  /^ {0,3}(?:```|~~~)/m,
  /!?\[[^\]\n]{1,200}\]\([^)\s]{1,2000}\)/,
  /^ {0,3}\|.*\n {0,3}\|[ \t]*:?-{3,}/m,
  // Between letters, so that powers and arguments of code are none.
  /(?:^|[\s(])\*\*(?=\p{L})[^*\n]{0,200}[\p{L}\p{N}.!?%]\*\*(?=$|[\s.,;:!?)])/mu,
];
/** Signs that code has none of: an index and a call read like a link. */
const STRUCTURE = [SURE[0], SURE[2]];
/** Two of these are needed. */
const LIKELY = [
  /^#{1,6} \S/m,
  /^[-*+] \S.*\n[-*+] \S/m,
  /^\d{1,3}[.)] \S.*\n\d{1,3}[.)] \S/m,
  /(?:^|\s)\*\*[^\s*][^*\n]{0,500}\*\*/,
  /(?:^|\s)`[^`\n]{1,500}`/,
  /^> \S/m,
];
/** Longer texts, and those that could keep a Markdown parser busy, stay as they are. */
const LONGEST = 20_000;
const TIRING = /\S{2000}|^[> ]{60}|^ {80}/m;

/** Whether the parser can read it in a moment. */
export const isParsable = (text: string): boolean => text.length <= LONGEST && !TIRING.test(text);

const isLikely = (text: string): boolean => LIKELY.filter((sign) => sign.test(text)).length >= 2;

/** Whether a text has the structure of Markdown, so that code in it is only a part of it. */
export const hasStructure = (text: string): boolean =>
  STRUCTURE.some((sign) => sign?.test(text) === true) || isLikely(text);

export function isMarkdown(text: string): boolean {
  if (!isParsable(text)) return false;
  return SURE.some((sign) => sign.test(text)) || isLikely(text);
}

const DOCUMENT = /^\s*(?:<!--[\s\S]{0,2000}?-->\s*)?(?:<!doctype html\b|<html[\s>])/i;
const OPENED =
  /<(?:body|table|tbody|tr|td|div|p|h[1-6]|ul|ol|li|a|span|img|br|hr|center|font|b|strong|em|i)(?:\s[^<>]*)?>/gi;
const CLOSED = /<\/(?:body|table|div|p|h[1-6]|ul|ol|center)\s*>\s*$/i;

/** Whether a text is a page or a mail written in HTML. A text with a few tags in it is not one. */
export function isHtml(text: string): boolean {
  if (DOCUMENT.test(text)) return true;
  const trimmed = text.trim();
  return trimmed.startsWith('<') && CLOSED.test(trimmed) && (trimmed.match(OPENED)?.length ?? 0) >= 3;
}
