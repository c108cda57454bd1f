// The rows a supervisor has selected for a bulk decision. Empty for everybody else.
/** The bulk decision of the selected rows. */
export interface Batch {
  readonly running: boolean;
  stop(): void;
}

export class Selection {
  /** The rows have checkboxes. Off by default; selecting a row by its key turns it on. */
  on = $state(false);
  ids: SelectedIds = $state.raw(NO_IDS);
  /** Why a row may not be selected beside the present selection; null when it may. */
  refuses: (id: string, chosen: SelectedIds) => string | null = () => null;
  /** Called with the reason when a row was not selected. */
  onrefused: (why: string) => void = () => undefined;
  /** The bulk decision that started last. */
  batch: Batch | null = $state.raw(null);
  #last: string | null = null;

  /** The rows are being decided: the selection does not change until that is over. */
  get busy(): boolean {
    return this.batch?.running === true;
  }

  /** Selects or unselects a row. */
  toggle(id: string): void {
    if (this.busy) return;
    const chosen = this.ids.has(id);
    const why = chosen ? null : this.refuses(id, this.ids);
    if (why !== null) return this.onrefused(why);
    this.ids = chosen ? filterIds(this.ids, (each) => each !== id) : withIds(this.ids, [id]);
    this.on = true;
    this.#last = id;
  }

  /** Selects every allowed row between the one selected last and this one, in the order of the screen. */
  extend(order: readonly string[], id: string): void {
    if (this.busy) return;
    const range = between(order, this.#last ?? id, id);
    if (range.length === 0) return this.toggle(id);
    for (const each of range) if (this.refuses(each, this.ids) === null) this.ids = withIds(this.ids, [each]);
    this.on = true;
    this.#last = id;
  }

  /** Unselects every row that does not pass; returns how many those were. */
  narrow(passes: (id: string) => boolean): number {
    const before = this.ids;
    this.ids = filterIds(before, passes);
    return before.size - this.ids.size;
  }

  clear(): void {
    if (this.busy) return;
    this.ids = NO_IDS;
    this.#last = null;
  }

  /** Ends selecting. While a bulk decision runs it is stopped instead, so that its result is seen. */
  leave(): void {
    if (this.busy) return this.batch?.stop();
    this.clear();
    this.on = false;
  }
}

type SelectedIds = ReadonlySet<string>;
const NO_IDS: SelectedIds = new Set();

/** The union of both. */
const withIds = (ids: SelectedIds, more: Iterable<string>): SelectedIds => new Set([...ids, ...more]);

/** Only the ids that pass; the same set when all do. */
function filterIds(ids: SelectedIds, passes: (id: string) => boolean): SelectedIds {
  const left = [...ids].filter(passes);
  return left.length === ids.size ? ids : new Set(left);
}

/** Everything between two rows of a list, both included; empty when one of them is not in it. */
function between(order: readonly string[], a: string, b: string): readonly string[] {
  const [from, to] = [order.indexOf(a), order.indexOf(b)];
  return from === -1 || to === -1 ? [] : order.slice(Math.min(from, to), Math.max(from, to) + 1);
}
