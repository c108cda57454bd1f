// Divides the rows of a list into blocks whose content the browser does not render while they are off screen.

/**
 * As many rows as a screen has. In every frame the browser looks at each block to find those near the screen: at 2,500 of them
 * that alone takes longer than a frame may.
 */
const BLOCK_ROWS = 24;
/** A block has more than `BLOCK_ROWS` only where rows arrived between its own: on the screen that is better than new elements. */
const MOST_ROWS = 4 * BLOCK_ROWS;

/** Rows below each other. */
export interface RowBlock<Row> {
  readonly key: number;
  readonly rows: readonly Row[];
}

interface Identified {
  readonly id: string;
}

/** Remembers the blocks of one list. */
export class RowBlocks<Row extends Identified> {
  #blocks: readonly RowBlock<Row>[] = [];
  #nextKey = 0;

  /**
   * The rows in their order, in blocks of at most `MOST_ROWS`. A row that changes its block gets a new element, so rows stay in
   * theirs: all when some leave, all but one when one arrives, and all but one and itself when one moves. Blocks do not merge: each
   * lasts as long as one of its rows. A block with the same rows as before is the same object. The same rows again have the same
   * blocks.
   */
  update(rows: readonly Row[]): readonly RowBlock<Row>[] {
    const previous = new Map(this.#blocks.map((block) => [block.key, block]));
    this.#blocks = this.#runs(rows).map((block) => {
      const before = previous.get(block.key);
      return before !== undefined && hasSameRows(before, block) ? before : block;
    });
    return this.#blocks;
  }

  /** Each block continues where most of its rows are. Any other row joins the block above or below it, or begins one. */
  #runs(rows: readonly Row[]): RowBlock<Row>[] {
    const keys = new Map(this.#blocks.flatMap(({ key, rows: members }) => members.map(({ id }) => [id, key] as const)));
    const extents = extentsOf(rows, keys);
    const firstNewKey = this.#nextKey;
    const runs: { readonly key: number; readonly rows: Row[]; readonly end: number }[] = [];
    const begin = (key: number, row: Row, end: number) => runs.push({ key, rows: [row], end });
    for (const [index, row] of rows.entries()) {
      const above = runs.at(-1);
      const key = keys.get(row.id);
      const own = key === undefined ? undefined : extents.get(key);
      if (above !== undefined && index < above.end) above.rows.push(row);
      else if (key !== undefined && own !== undefined && own.start <= index && index < own.end) {
        begin(key, row, own.end);
        extents.delete(key);
      } else if (above !== undefined && above.rows.length < BLOCK_ROWS) above.rows.push(row);
      else begin(this.#nextKey++, row, index + 1);
    }
    for (const [index, { key, rows: added }] of runs.entries()) {
      const below = runs[index + 1]?.rows;
      if (key < firstNewKey || below === undefined || added.length + below.length > BLOCK_ROWS) continue;
      below.unshift(...added.splice(0));
    }
    return runs
      .filter(({ rows: members }) => members.length > 0)
      .map(({ key, rows: members }) => ({ key, rows: members }));
  }
}

/** Where the rows of a block are: from the index `start` to before `end`. Rows that are not its own may be between them. */
interface Extent {
  readonly start: number;
  readonly end: number;
}

/** Of each block the extent of at most `MOST_ROWS` that has most of its rows, and few of other blocks. */
function extentsOf(rows: readonly Identified[], keys: ReadonlyMap<string, number>): Map<number, Extent> {
  const places = Map.groupBy(rows.keys(), (index) => keys.get(rows[index]?.id ?? ''));
  const arrivals = new Set(places.get(undefined));
  const extents = new Map<number, Extent>();
  for (const [key, own] of places) if (key !== undefined) extents.set(key, densest(own, arrivals));
  return extents;
}

/** @param places the indexes of the rows of a block, ascending; @param arrivals those of rows that had no block. */
function densest(places: readonly number[], arrivals: ReadonlySet<number>): Extent {
  let best = { start: 0, end: 0, surplus: 0 };
  for (const [first, start] of places.entries()) {
    /** Its own rows so far without as many rows of other blocks. */
    let surplus = 0;
    for (let next = first, index = start; next < places.length && index < start + MOST_ROWS; index += 1) {
      if (index === places[next]) {
        next += 1;
        surplus += 1;
        if (surplus > best.surplus) best = { start, end: index + 1, surplus };
      } else if (!arrivals.has(index)) surplus -= 1;
    }
  }
  return best;
}

const hasSameRows = <Row>(one: RowBlock<Row>, other: RowBlock<Row>) =>
  one.rows.length === other.rows.length && one.rows.every((row, at) => row === other.rows[at]);
