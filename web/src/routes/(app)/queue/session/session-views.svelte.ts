// The review session as the page reads it: the open item and its reason prompt.
import { clock } from '#lib/time/clock.svelte.ts';
import type { DomainEvent } from '@countersign/shared/schemas/parts/events';
import type { ItemDetail } from '@countersign/shared/schemas/parts/item';
import type { ReviewEvent } from './review-events.ts';
import {
  ALLOWED,
  claimOf,
  detailOf,
  EMPTY_PROMPT,
  grantOf,
  idOf,
  isPending,
  isPromptOpen,
  leaseEnds,
  type ItemState,
  type Prompt,
  type ReasonedAction,
} from './review-state.ts';

type Send = (event: ReviewEvent) => void;

export class OpenItem {
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
  /** The deadline gave it to supervisors while this tab had the claim (DL1). */
  readonly passedOn = $derived.by(() => {
    const claim = claimOf(this.state);
    return claim.kind === 'lost' && claim.passedOn === true;
  });
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

  /** An answer that no command of the session asked for has its present state. */
  replace(detail: ItemDetail): void {
    this.#send({ kind: 'replaced', detail });
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

  get refused(): Prompt['refused'] {
    return this.#prompt.refused;
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

  /** The answer in words being typed; null while its field is closed. */
  get response(): string | null {
    return this.#prompt.openFields.response === true ? (this.#prompt.notes.response ?? '') : null;
  }

  set response(value: string | null) {
    this.#send({ kind: 'response', value });
  }

  openResponse(): void {
    this.#send({ kind: 'openResponse' });
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
