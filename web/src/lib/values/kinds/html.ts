// Recognizes a page or a mail written in HTML. A text with a few tags in it is not one.

const DOCUMENT = /^\s*(?:<!--[\s\S]{0,2000}?-->\s*)?(?:<!doctype html\b|<html[\s>])/i;
const OPENED =
  /<(?:body|table|tbody|tr|td|div|p|h[1-6]|ul|ol|li|a|span|img|br|hr|center|font|b|strong|em|i)(?:\s[^<>]*)?>/gi;
const CLOSED = /<\/(?:body|table|div|p|h[1-6]|ul|ol|center)\s*>\s*$/i;

export function isHtml(text: string): boolean {
  if (DOCUMENT.test(text)) return true;
  const trimmed = text.trim();
  return trimmed.startsWith('<') && CLOSED.test(trimmed) && (trimmed.match(OPENED)?.length ?? 0) >= 3;
}
