// Moves a zoomed picture: dragged by the mouse, by arrow keys, and zoomed by the wheel with Ctrl.

export interface Zooming {
  /** By one step, in or out. */
  zoom: (inward: boolean) => void;
  fit: () => void;
  turn: () => void;
}

/** Pixels of one arrow key. */
const STEP = 60;
const ARROWS: Partial<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-STEP, 0],
  ArrowRight: [STEP, 0],
  ArrowUp: [0, -STEP],
  ArrowDown: [0, STEP],
};

/** Whether there is more of it than the view shows. */
const isLarger = (view: HTMLElement): boolean =>
  view.scrollWidth > view.clientWidth + 1 || view.scrollHeight > view.clientHeight + 1;

/** Keys of the focused picture. A used press is prevented, so that it does not decide the item as well. */
export function onKey(event: KeyboardEvent, { zoom, fit, turn }: Zooming): void {
  const view = event.currentTarget;
  if (!(view instanceof HTMLElement) || event.target !== view) return;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const arrow = ARROWS[event.key];
  const acts: Partial<Record<string, () => void>> = {
    '+': () => zoom(true),
    '=': () => zoom(true),
    '-': () => zoom(false),
    '0': fit,
    r: turn,
    R: turn,
  };
  if (arrow !== undefined && isLarger(view)) view.scrollBy({ left: arrow[0], top: arrow[1] });
  else if (acts[event.key] !== undefined) acts[event.key]?.();
  else return;
  event.preventDefault();
}

/** Drags by the mouse, and zooms by the wheel with Ctrl: the wheel alone scrolls the page. Fingers scroll it by themselves. */
export function pan(view: HTMLElement, zoom: (inward: boolean) => void): () => void {
  let from: { x: number; y: number } | null = null;
  const onpointerdown = (event: PointerEvent) => {
    if (event.pointerType !== 'mouse' || event.button !== 0 || !isLarger(view)) return;
    from = { x: event.clientX + view.scrollLeft, y: event.clientY + view.scrollTop };
    view.setPointerCapture(event.pointerId);
    view.style.cursor = 'grabbing';
  };
  const onpointermove = (event: PointerEvent) => {
    if (from !== null) view.scrollTo({ left: from.x - event.clientX, top: from.y - event.clientY });
  };
  const end = () => {
    from = null;
    view.style.cursor = '';
  };
  const onwheel = (event: WheelEvent) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoom(event.deltaY < 0);
  };
  view.addEventListener('pointerdown', onpointerdown);
  view.addEventListener('pointermove', onpointermove);
  for (const name of ['pointerup', 'pointercancel'] as const) view.addEventListener(name, end);
  // A passive one could not keep the whole page from being zoomed.
  view.addEventListener('wheel', onwheel, { passive: false });
  return () => {
    view.removeEventListener('pointerdown', onpointerdown);
    view.removeEventListener('pointermove', onpointermove);
    for (const name of ['pointerup', 'pointercancel'] as const) view.removeEventListener(name, end);
    view.removeEventListener('wheel', onwheel);
  };
}
