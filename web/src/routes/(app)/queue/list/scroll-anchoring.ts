// Anchors the list's scroll position: changes above do not move the row a user looks at.

/** The row that must not move, and its position before the change. */
export interface Anchor {
  readonly id: string;
  readonly top: number;
  /** The focused row, with its index. */
  readonly focused: { readonly id: string; readonly at: number } | null;
}

const LINE = '[data-line]';
const idOf = (line: Element | null | undefined): string | null => line?.getAttribute('data-line') ?? null;

/** Before a change: of the visible rows the one under the pointer, else the focused one, else the first. */
export function findAnchor(box: HTMLElement): Anchor | null {
  const focused = document.activeElement?.closest(LINE) ?? null;
  const inside = focused !== null && box.contains(focused) ? focused : null;
  const line = [box.querySelector(`${LINE}:hover`), inside].find((one) => isVisible(box, one)) ?? firstVisible(box);
  const id = idOf(line);
  if (!line || id === null) return null;
  const { top } = line.getBoundingClientRect();
  return { id, top, focused: inside && focusedRowOf(box, inside) };
}

/** An element's row, with its index. */
function focusedRowOf(box: HTMLElement, line: Element): Anchor['focused'] {
  const id = idOf(line);
  return id === null ? null : { id, at: [...box.querySelectorAll(LINE)].indexOf(line) };
}

/** After scrolling away from the row under pointer or focus, the user looks at another row. */
function isVisible(box: HTMLElement, line: Element | null): line is Element {
  if (line === null) return false;
  const [inner, outer] = [line.getBoundingClientRect(), box.getBoundingClientRect()];
  return inner.bottom > outer.top && inner.top < outer.bottom;
}

function firstVisible(box: HTMLElement): Element | null {
  const { left, top, width } = box.getBoundingClientRect();
  const visible = document.elementFromPoint(left + width / 2, top + 2)?.closest(LINE) ?? null;
  return visible !== null && box.contains(visible) ? visible : null;
}

/** After the change: scrolls by as much as the row moved. If the focused row is gone, the one in its place gets the focus. */
export function restoreAnchor(box: HTMLElement, { id, top, focused }: Anchor): void {
  const moved = (lineOf(box, id)?.getBoundingClientRect().top ?? top) - top;
  if (moved !== 0) box.scrollTop += moved;
  if (focused === null || lineOf(box, focused.id) !== null || document.activeElement !== document.body) return;
  const lines = [...box.querySelectorAll<HTMLElement>(LINE)];
  lines[Math.min(focused.at, lines.length - 1)]?.focus({ preventScroll: true });
}

const lineOf = (box: HTMLElement, id: string) => box.querySelector(`[data-line="${CSS.escape(id)}"]`);
