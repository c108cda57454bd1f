// Detects whether a text was written as Markdown. Conservative: a text that only resembles it is shown as it is.

/** One of these is enough. */
const SURE = [/^ {0,3}(?:```|~~~)/m, /!?\[[^\]\n]{1,200}\]\([^)\s]{1,2000}\)/, /^ {0,3}\|.*\n {0,3}\|[ \t]*:?-{3,}/m];
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

export function isMarkdown(text: string): boolean {
  if (text.length > LONGEST || TIRING.test(text)) return false;
  return SURE.some((sign) => sign.test(text)) || LIKELY.filter((sign) => sign.test(text)).length >= 2;
}
