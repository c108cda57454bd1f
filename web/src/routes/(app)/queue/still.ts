// Keeps the list still: whatever comes or goes above, the line a reader looks at stays where it is on the screen.

/** The line that must not move, and where it stood. */
export interface Anchor {
  readonly id: string;
  readonly top: number;
  /** Set when this line had the focus, with its place among the lines. */
  readonly focused: number | null;
}

const LINE = '[data-line]';
const idOf = (line: Element | null | undefined): string | null => line?.getAttribute('data-line') ?? null;

/** Before a change: the line under the pointer, else the focused one, else the first that is seen. */
export function anchorOf(box: HTMLElement): Anchor | null {
  const focused = document.activeElement?.closest(LINE) ?? null;
  const inside = focused !== null && box.contains(focused) ? focused : null;
  const line = box.querySelector(`${LINE}:hover`) ?? inside ?? firstSeen(box);
  const id = idOf(line);
  if (line === null || id === null) return null;
  const place = line === inside ? [...box.querySelectorAll(LINE)].indexOf(inside) : null;
  return { id, top: line.getBoundingClientRect().top, focused: place };
}

function firstSeen(box: HTMLElement): Element | null {
  const { left, top, width } = box.getBoundingClientRect();
  const seen = document.elementFromPoint(left + width / 2, top + 2)?.closest(LINE) ?? null;
  return seen !== null && box.contains(seen) ? seen : null;
}

/** After the change: scrolls by as much as the line moved. Focus on a line that is gone goes to the one in its place. */
export function restore(box: HTMLElement, anchor: Anchor): void {
  const line = box.querySelector(`[data-line="${CSS.escape(anchor.id)}"]`);
  if (line !== null) {
    const moved = line.getBoundingClientRect().top - anchor.top;
    if (moved !== 0) box.scrollTop += moved;
  } else if (anchor.focused !== null && document.activeElement === document.body) {
    const lines = [...box.querySelectorAll<HTMLElement>(LINE)];
    lines[Math.min(anchor.focused, lines.length - 1)]?.focus({ preventScroll: true });
  }
}
