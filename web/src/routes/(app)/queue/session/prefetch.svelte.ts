// Prefetches one item: reads the predicted next item while the present one is open, and never claims it.
import { call } from '#lib/api/client.ts';
import { readQueueItem } from '@countersign/shared/api/queue';
import type { ItemDetail, ItemRow } from '@countersign/shared/item';

/** A prediction that changes again at once is not requested; after a failure requests pause for a while. Ms. */
const SETTLE_MS = 100;
const AFTER_FAILURE_MS = 5000;

type RowVersion = Pick<ItemRow, 'id' | 'version'>;

export class Prefetch {
  /** The content of the item that would come next. */
  ready: ItemDetail | null = $state.raw(null);

  #wanted: RowVersion | null = null;
  #stop: AbortController | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #notBefore = 0;

  /** Reads the item of this row, one at a time; null discards the content and any running request. */
  want(row: RowVersion | null): void {
    if (row !== null && this.#wanted?.id === row.id && this.#wanted.version >= row.version) return;
    this.#stop?.abort();
    clearTimeout(this.#timer);
    this.#wanted = row;
    this.ready = null;
    if (row === null) return;
    const wait = Math.max(SETTLE_MS, this.#notBefore - Date.now());
    this.#timer = setTimeout(() => void this.#read(row), wait);
  }

  /** The content of this row, if it was read and is not older than the row; null otherwise. */
  of(row: RowVersion | null): ItemDetail | null {
    const { ready } = this;
    return row !== null && ready?.id === row.id && ready.version >= row.version ? ready : null;
  }

  async #read(row: RowVersion): Promise<void> {
    const stop = new AbortController();
    this.#stop = stop;
    try {
      const detail = await call(readQueueItem, { params: { id: row.id }, signal: stop.signal });
      if (stop.signal.aborted) return;
      this.#wanted = detail;
      this.ready = detail;
    } catch {
      if (stop.signal.aborted) return;
      // Without it the next item appears a moment later, as any other does.
      this.#wanted = null;
      this.#notBefore = Date.now() + AFTER_FAILURE_MS;
    }
  }
}
