// Highlights a changed figure for a moment, in its place. With reduced motion it changes without a highlight.
import type { Attachment } from 'svelte/attachments';

const MARKED_MS = 160;
const seen = new WeakMap<Element, unknown>();

/** An attachment for the element that shows `value`: highlights it whenever the value changes. */
export function tint(value: string | number): Attachment<HTMLElement> {
  return (element) => {
    const known = seen.has(element);
    const before = seen.get(element);
    seen.set(element, value);
    if (!known || before === value || matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    element.animate([{ backgroundColor: 'var(--line2)' }, { backgroundColor: 'transparent' }], MARKED_MS);
  };
}
