// Drops the second press of a double click or double tap where it would hit another control than the first (QU2).

/** Browsers and systems count two presses within this many ms as one double press. */
export const DOUBLE_PRESS_MS = 500;
/** The largest distance between the two presses of a double press, in pixels. */
const DOUBLE_PRESS_DISTANCE_PX = 24;

const CONTROLS = 'button, a[href], input, select, textarea, summary, [role=row], [role=option], [tabindex]';

interface Press {
  readonly at: number;
  readonly x: number;
  readonly y: number;
  /** False for assistive technology and the keyboard: their clicks have no position. */
  readonly byPointer: boolean;
  readonly control: Element | null;
  readonly words: string;
}

/** Listens before every other handler of the page; returns the function that stops it. */
export function dropDoublePresses(): () => void {
  let before: Press | null = null;
  const onClick = (event: MouseEvent) => {
    const press = pressOf(event);
    const repeated = before !== null && isSamePress(before, press);
    const drop = repeated && (before?.control !== press.control || press.control?.hasAttribute('data-once') === true);
    // The interval starts at the press that had an effect; otherwise regular presses would all be dropped.
    before = drop || isInactive(press.control) ? before : press;
    if (!drop) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  window.addEventListener('click', onClick, { capture: true });
  return () => window.removeEventListener('click', onClick, { capture: true });
}

function isSamePress(one: Press, other: Press): boolean {
  if (other.at - one.at >= DOUBLE_PRESS_MS || one.byPointer !== other.byPointer) return false;
  if (!one.byPointer) return one.words === other.words;
  return Math.hypot(one.x - other.x, one.y - other.y) <= DOUBLE_PRESS_DISTANCE_PX;
}

/** The action is not enabled yet because the item was not seen; the press is then no first press either. */
const isInactive = (control: Element | null): boolean => control?.getAttribute('aria-disabled') === 'true';

function pressOf(event: MouseEvent): Press {
  const control = controlOf(event.composedPath()[0]);
  const words = control?.getAttribute('aria-label') ?? control?.textContent ?? '';
  return { at: event.timeStamp, x: event.clientX, y: event.clientY, byPointer: event.detail > 0, control, words };
}

/** A click on a label is followed by one on its field: both are the same press of the same control. */
function controlOf(target: EventTarget | undefined): Element | null {
  if (!(target instanceof Element)) return null;
  return target.closest('label')?.control ?? target.closest(CONTROLS);
}
