// Links boxes with the values that say where they are: the pointer or the focus on one marks the other (MP8).

/** Rows of values name their path in this attribute. */
const PATH = 'data-at';
const MARK = 'data-linked';

const within = (path: string, outer: string): boolean =>
  path === outer || (path.startsWith(outer) && /[.[]/.test(path[outer.length] ?? ''));

interface Linked {
  /** The block of values around the picture. */
  block: Element;
  /** The picture with its list of boxes, which follow the pointer and the focus by themselves. */
  picture: Element;
  boxes: readonly string[];
}

/** Tells which box the value under the pointer or the focus stands for. Returns the function that stops it. */
export function followValues({ block, picture, boxes }: Linked, onbox: (path: string | null) => void): () => void {
  const follow = ({ target }: Event) => {
    if (target instanceof Element && picture.contains(target)) return;
    const row = target instanceof Element ? target.closest(`[${PATH}]`) : null;
    const path = row?.getAttribute(PATH);
    // The row of a list of boxes stands for none of them; the row inside of a box stands for it.
    const found = boxes.filter((box) => path && (within(box, path) || within(path, box)));
    onbox(found.length === 1 ? (found[0] ?? null) : null);
  };
  const leave = () => onbox(null);
  block.addEventListener('pointerover', follow);
  block.addEventListener('focusin', follow);
  block.addEventListener('pointerleave', leave);
  return () => {
    block.removeEventListener('pointerover', follow);
    block.removeEventListener('focusin', follow);
    block.removeEventListener('pointerleave', leave);
  };
}

/** Marks the innermost row that shows the box, and no other. */
export function markValue(block: Element, box: string | null): void {
  for (const row of block.querySelectorAll(`[${MARK}]`)) row.removeAttribute(MARK);
  if (box === null) return;
  const rows = [...block.querySelectorAll(`[${PATH}]`)].filter((row) => within(box, row.getAttribute(PATH) ?? ''));
  const closest = rows.toSorted((one, other) => lengthOf(other) - lengthOf(one))[0];
  closest?.setAttribute(MARK, '');
}

const lengthOf = (row: Element): number => row.getAttribute(PATH)?.length ?? 0;
