// The review session as the page reads it: the open item, its reason prompt, and the prefetched next item.
import { call } from '#lib/api/client.ts';
import { clock } from '#lib/time/clock.svelte.ts';
import { readQueueItem } from '@countersign/shared/api/queue';
import type { DomainEvent } from '@countersign/shared/events';
import type { ItemDetail, ItemRow } from '@countersign/shared/item';
import { History } from '../item/history.svelte.ts';
import type { ReviewEvent } from './review-events.ts';
import { leaseEnds, type ReasonedAction } from './review-rules.ts';
import {
  ALLOWED,
  claimOf,
  detailOf,
  EMPTY_PROMPT,
  grantOf,
  idOf,
  isPending,
  isPromptOpen,
  type ItemState,
  type Prompt,
} from './review-state.ts';

/** A prediction that changes again at once is not requested; after a failure requests pause for a while. Ms. */
const SETTLE_MS = 100;
const AFTER_FAILURE_MS = 5000;

type RowVersion = Pick<ItemRow, 'id' | 'version'>;

type Send = (event: ReviewEvent) => void;

export class OpenItem {
  readonly history = new History();
  readonly #read: () => ItemState;
  readonly #send: Send;
  /** The state of the open item. Each value below changes only when it differs: the page's effects depend on it. */
  readonly state: ItemState = $derived.by(() => this.#read());
  readonly id = $derived(idOf(this.state));
  /** Null while it loads; never the content of another item than `id`, except within the delay of a switch. */
  readonly detail = $derived(detailOf(this.state));
  readonly grant = $derived(grantOf(this.state));
  readonly error: unknown = $derived(this.state.at === 'unreadable' ? this.state.error : null);
  /** This tab had the claim and lost it. */
  readonly lost = $derived(claimOf(this.state).kind === 'lost');
  /** It is shown while its claim is requested or its decision is in flight: it can be read, and actions are disabled. */
  readonly pending = $derived(isPending(this.state));
  /** The decision of this tab that the server has not answered yet. */
  readonly saving = $derived(this.state.at === 'deciding' ? this.state.action : null);

  constructor(read: () => ItemState, send: Send) {
    this.#read = read;
    this.#send = send;
  }

  /** The lease is about to end. */
  get leaseEnds(): boolean {
    return this.grant !== null && leaseEnds(this.grant, clock.now);
  }

  /** An event arrived. */
  receive(event: DomainEvent): void {
    this.#send({ kind: 'received', event });
  }

  /** It waits for people again. */
  reopened(detail: ItemDetail): void {
    this.#send({ kind: 'reopened', detail });
  }
}

export class ReasonPrompt {
  readonly #read: () => ItemState;
  readonly #send: Send;
  readonly #prompt: Prompt = $derived.by(() => promptOf(this.#read()));

  constructor(read: () => ItemState, send: Send) {
    this.#read = read;
    this.#send = send;
  }

  get action(): ReasonedAction | null {
    return this.#prompt.action;
  }

  get picked(): string | null {
    return this.#prompt.picked;
  }

  set picked(reason: string | null) {
    this.#send({ kind: 'pick', reason });
  }

  get fault(): string | null {
    return this.#prompt.fault;
  }

  set fault(fault: string | null) {
    this.#send({ kind: 'fault', fault });
  }

  /** The note and the custom reason of the open item, whether their fields are open or not. */
  get notes(): Prompt['notes'] {
    return this.#prompt.notes;
  }

  get persisted(): boolean {
    return this.#prompt.persisted;
  }

  /** The custom reason being typed; null while its field is closed. */
  get own(): string | null {
    return this.#prompt.openFields.own ? this.#prompt.notes.own : null;
  }

  set own(value: string | null) {
    this.#send({ kind: 'own', value });
  }

  /** The note being typed; null while its field is closed. Its text is retained and sent with the next decision. */
  get note(): string | null {
    return this.#prompt.openFields.note ? this.#prompt.notes.note : null;
  }

  set note(value: string | null) {
    this.#send({ kind: 'note', value });
  }

  get open(): boolean {
    return isPromptOpen(this.#prompt);
  }

  /** Whether a note can be written now. */
  noteAllowed(): boolean {
    return ALLOWED[this.#read().at].includes('note');
  }

  openNote(): void {
    this.#send({ kind: 'openNote' });
  }

  start(action: ReasonedAction): void {
    this.#send({ kind: 'ask', action });
  }

  /** Closes what is open. The notes are retained. */
  clear(): void {
    this.#send({ kind: 'clearPrompt' });
  }
}

const promptOf = (item: ItemState): Prompt => (item.at === 'empty' ? EMPTY_PROMPT : item.prompt);

/** Prefetches one item: reads the predicted next item while the present one is open. */
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
