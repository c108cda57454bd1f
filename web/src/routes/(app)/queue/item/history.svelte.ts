// The history of the open item: its last events, read again when it changes, and earlier ones on demand.
import { call } from '#lib/api/client.ts';
import { readHistory } from '@countersign/shared/api/queue';
import type { DomainEvent } from '@countersign/shared/events';

const HISTORY_MS = 300;

export class History {
  /** Oldest first; null while nothing was read. */
  events: readonly DomainEvent[] | null = $state.raw(null);
  /** The cursor of the events before these; null when these are all. */
  earlier: string | null = $state(null);
  reading = $state(false);
  /** The last attempt to read earlier events failed. */
  failed = $state(false);

  #id: string | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Incremented at every switch: answers to earlier requests are discarded, even for the same item. */
  #visit = 0;
  /** Counts the requests for the last events. */
  #asked = 0;
  /** The newest of those requests that was answered: the answer of an older one is outdated. */
  #answered = 0;

  /** Switches to an item and discards the events of the previous one. */
  switchTo(id: string | null): void {
    if (this.#id === id) return;
    clearTimeout(this.#timer);
    this.#id = id;
    this.#visit += 1;
    this.#answered = this.#asked;
    this.events = this.earlier = null;
    this.reading = this.failed = false;
  }

  /** Reads the last events after a short delay, because events arrive in bursts. */
  readSoon(): void {
    clearTimeout(this.#timer);
    const id = this.#id;
    if (id === null) return;
    this.#timer = setTimeout(() => {
      const request = ++this.#asked;
      call(readHistory, { params: { id } }).then(
        ({ data, next_cursor }) => {
          if (request <= this.#answered) return;
          this.#answered = request;
          this.#put(data, next_cursor);
        },
        // The page works without the history: the column stays empty.
        () => request > this.#answered && (this.events ??= []),
      );
    }, HISTORY_MS);
  }

  /** Reads the page before the first event here. */
  async readEarlier(): Promise<void> {
    const [id, after, visit] = [this.#id, this.earlier, this.#visit];
    if (id === null || after === null || this.reading) return;
    this.reading = true;
    this.failed = false;
    const answer = await call(readHistory, { params: { id }, query: { after } }).catch(() => null);
    if (this.#visit !== visit) return;
    this.reading = false;
    this.failed = answer === null;
    // A later read may have replaced the events, so that this page no longer connects to them.
    if (answer === null || this.earlier !== after) return;
    this.events = [...answer.data, ...(this.events ?? [])];
    this.earlier = answer.next_cursor;
  }

  /** Replaces the last events: earlier ones stay before them, unless a part between them is missing. */
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
