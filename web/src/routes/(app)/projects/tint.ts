// A figure that has changed is marked for a moment, in its place. Whoever asked for less movement sees it change, and no mark.
import type { Attachment } from 'svelte/attachments';

const MARKED_MS = 160;
const seen = new WeakMap<Element, unknown>();

/** To be attached to the element that shows `value`: marks it whenever that is another value than before. */
export function tint(value: string | number): Attachment<HTMLElement> {
  return (element) => {
    const known = seen.has(element);
    const before = seen.get(element);
    seen.set(element, value);
    if (!known || before === value || matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    element.animate([{ backgroundColor: 'var(--line2)' }, { backgroundColor: 'transparent' }], MARKED_MS);
  };
}
