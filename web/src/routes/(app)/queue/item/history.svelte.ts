// What the ledger says of the item on show: its last facts, read again when it changes, and earlier ones when they are asked for.
import { call } from '#lib/api/client.ts';
import { readHistory } from '@countersign/shared/api/queue';
import type { DomainEvent } from '@countersign/shared/events';

const HISTORY_MS = 300;

export class History {
  /** Oldest first; null while nothing was read. */
  events: readonly DomainEvent[] | null = $state.raw(null);
  /** Where what comes before these facts is to be had; null: these are all. */
  earlier: string | null = $state(null);
  reading = $state(false);
  /** The last attempt to read earlier ones failed. */
  failed = $state(false);

  #id: string | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Counts the times it turned: what was asked for before is of no use, even when the item is the same again. */
  #visit = 0;
  /** Counts the reads of the last facts. */
  #asked = 0;
  /** The newest of those reads whose answer is in: an older one that comes after it says less. */
  #landed = 0;

  /** Turns to an item; what was read of another one is gone. */
  switchTo(id: string | null): void {
    if (this.#id === id) return;
    clearTimeout(this.#timer);
    this.#id = id;
    this.#visit += 1;
    this.#landed = this.#asked;
    this.events = this.earlier = null;
    this.reading = this.failed = false;
  }

  /** Reads its last facts, in a moment: facts come in bursts. */
  readSoon(): void {
    clearTimeout(this.#timer);
    const id = this.#id;
    if (id === null) return;
    this.#timer = setTimeout(() => {
      const request = ++this.#asked;
      call(readHistory, { params: { id } }).then(
        ({ data, next_cursor }) => {
          if (request <= this.#landed) return;
          this.#landed = request;
          this.#put(data, next_cursor);
        },
        // The history is beside the point of the page: without it the column stays empty.
        () => request > this.#landed && (this.events ??= []),
      );
    }, HISTORY_MS);
  }

  /** Reads the part before the first fact here. */
  async readEarlier(): Promise<void> {
    const [id, after, visit] = [this.#id, this.earlier, this.#visit];
    if (id === null || after === null || this.reading) return;
    this.reading = true;
    this.failed = false;
    const answer = await call(readHistory, { params: { id }, query: { after } }).catch(() => null);
    if (this.#visit !== visit) return;
    this.reading = false;
    this.failed = answer === null;
    // What was read again meanwhile may have left no earlier part for this one to stand before.
    if (answer === null || this.earlier !== after) return;
    this.events = [...answer.data, ...(this.events ?? [])];
    this.earlier = answer.next_cursor;
  }

  /** The last facts again: earlier ones that were read stay before them, unless so much happened that a part is missing between. */
  #put(data: readonly DomainEvent[], earlier: string | null): void {
    const first = data[0]?.seq ?? Infinity;
    const known = this.events ?? [];
    const before = known.filter(({ seq }) => seq < first);
    const joins = known.some(({ seq }) => seq >= first);
    if (joins && before.length > 0) {
      this.events = [...before, ...data];
      return;
    }
    this.events = data;
    this.earlier = earlier;
  }
}
