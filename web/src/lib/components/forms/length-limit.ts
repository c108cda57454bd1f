// The length rule of text fields: a pasted text stays whole, and a text over its limit is not sent.
import { lengthMessages } from '#lib/messages/length-messages.ts';
import { codePointsOf } from '@countersign/shared/formats/code-points';
import type { Attachment } from 'svelte/attachments';

/** The counter shows from this many characters before the limit, or from an eighth of the limit where that is less. */
const SHOWN_FROM = 1000;

/** Code points by which a text is over its limit, counted as the server does; 0 for one that fits. */
export const excessOf = (text: string, longest: number): number =>
  text.length <= longest ? 0 : Math.max(0, codePointsOf(text) - longest);

/** What is wrong with the length of a text; undefined for one that fits. */
export function lengthFault(text: string, longest: number | null | undefined): string | undefined {
  const excess = excessOf(text, longest ?? Infinity);
  return excess === 0 ? undefined : lengthMessages.over(excess, longest ?? 0);
}

/** How many characters are left; undefined while there is much room. */
export function lengthLeft(text: string, longest: number | null | undefined): string | undefined {
  const [most, shown] = [longest ?? Infinity, Math.min(SHOWN_FROM, (longest ?? 0) / 8)];
  // A code point is at most two units of a string.
  if (text.length < most - shown) return undefined;
  const left = most - codePointsOf(text);
  return left < 0 || left > shown ? undefined : lengthMessages.left(left);
}

/** Makes a field invalid while it has a fault, so that the browser does not send its form. */
export const invalidWhile =
  (fault: string | undefined): Attachment<HTMLInputElement | HTMLTextAreaElement> =>
  (field) =>
    field.setCustomValidity(fault ?? '');

/** Moves the focus to the first invalid field in a part of the page. Returns whether there is one. */
export function focusInvalid(part: ParentNode): boolean {
  const fields = [...part.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input, textarea')];
  const invalid = fields.find((field) => !field.checkValidity());
  invalid?.focus();
  return invalid !== undefined;
}
