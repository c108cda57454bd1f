// The lines a supervisor has chosen to decide together. Empty for everybody else.
import { between, NO_IDS, filterIds, withIds, type SelectedIds } from './selected-ids.ts';

/** What decides the chosen lines together. */
export interface Batch {
  readonly running: boolean;
  stop(): void;
}

export class Selection {
  /** The lines have boxes to be ticked. Off by default; choosing a line by its key turns it on. */
  on = $state(false);
  ids: SelectedIds = $state.raw(NO_IDS);
  /** Why a line may not be chosen beside those that are; null when it may. */
  refuses: (id: string, chosen: SelectedIds) => string | null = () => null;
  /** Hears why a line was not chosen. */
  onrefused: (why: string) => void = () => undefined;
  /** What has begun to decide them, last. */
  batch: Batch | null = $state.raw(null);
  #last: string | null = null;

  /** The lines are being decided: what is chosen stands until that is over. */
  get busy(): boolean {
    return this.batch?.running === true;
  }

  /** Puts a line in or takes it out. */
  toggle(id: string): void {
    if (this.busy) return;
    const chosen = this.ids.has(id);
    const why = chosen ? null : this.refuses(id, this.ids);
    if (why !== null) return this.onrefused(why);
    this.ids = chosen ? filterIds(this.ids, (each) => each !== id) : withIds(this.ids, [id]);
    this.on = true;
    this.#last = id;
  }

  /** Everything between the line chosen last and this one that may be chosen, in the order of the screen. */
  extend(order: readonly string[], id: string): void {
    if (this.busy) return;
    const range = between(order, this.#last ?? id, id);
    if (range.length === 0) return this.toggle(id);
    for (const each of range) if (this.refuses(each, this.ids) === null) this.ids = withIds(this.ids, [each]);
    this.on = true;
    this.#last = id;
  }

  /** Takes out every line that does not pass; answers how many those were. */
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

  /** Ends the choosing. While the chosen are being decided that is stopped instead, so that its outcome is seen. */
  leave(): void {
    if (this.busy) return this.batch?.stop();
    this.clear();
    this.on = false;
  }
}
