// How many of a row's children fit in its one line; the row wraps and is clipped, so that measuring moves nothing.

/** The room for the button that shows the others, in pixels. */
const MORE_PX = 76;

interface Child {
  readonly left: number;
  readonly top: number;
  readonly width: number;
}

/** The number of children that fit in a row of this width, and where the last of them ends. Pure. */
export function fittingIn(children: readonly Child[], width: number): { fitting: number; end: number } {
  const first = children[0];
  const wrapped = children.findIndex(({ top }) => top > (first?.top ?? 0));
  const inLine = wrapped === -1 ? children : children.slice(0, wrapped);
  const endOf = (child: Child | undefined) => (child === undefined ? 0 : child.left + child.width);
  if (wrapped === -1) return { fitting: children.length, end: endOf(inLine.at(-1)) };
  const room = inLine.filter((child) => endOf(child) <= width - MORE_PX);
  return { fitting: room.length, end: endOf(room.at(-1)) };
}

export class OneLine {
  /** The number of children that fit; all of them before the first measurement. */
  fitting = $state(Infinity);
  /** Where the last of them ends, in pixels. */
  end = $state(0);
  #row: HTMLElement | null = null;
  #observer: ResizeObserver | null = null;

  /** Attaches to the row. */
  readonly watch = (row: HTMLElement): (() => void) => {
    this.#row = row;
    this.#observer = new ResizeObserver(() => this.#read());
    this.#observer.observe(row);
    return () => {
      this.#observer?.disconnect();
      this.#row = this.#observer = null;
    };
  };

  /** Measures again, as the browser lays out the page: reading the layout earlier would compute it twice. */
  measure(): void {
    if (this.#row === null) return;
    this.#observer?.unobserve(this.#row);
    this.#observer?.observe(this.#row);
  }

  #read(): void {
    const row = this.#row;
    if (row === null) return;
    const children = [...row.children].flatMap((child) =>
      child instanceof HTMLElement && getComputedStyle(child).position !== 'absolute'
        ? [{ left: child.offsetLeft, top: child.offsetTop, width: child.offsetWidth }]
        : [],
    );
    ({ fitting: this.fitting, end: this.end } = fittingIn(children, row.clientWidth));
  }
}
