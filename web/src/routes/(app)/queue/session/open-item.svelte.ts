// The open item: its content, its claim in this tab and its history, kept in step with its events.
import { ApiProblem, call } from '#lib/api/client.ts';
import { clock } from '#lib/time/clock.svelte.ts';
import { leaseEnds, type Grant } from './review-rules.ts';
import { readQueueItem, type Granted } from '@countersign/shared/api/queue';
import type { DomainEvent } from '@countersign/shared/events';
import type { ItemDetail } from '@countersign/shared/item';
import type { ReviewAction } from '@countersign/shared/enums';
import { History } from '../item/history.svelte.ts';

/** An item that arrives within this many ms replaces the previous one without a blank between them. */
const KEEP_PREVIOUS_MS = 150;
/** A renewal with this status will never succeed: decided, forwarded, or not visible to the user. */
const REFUSED: ReadonlySet<number> = new Set([404, 409]);

export class OpenItem {
  id: string | null = $state(null);
  /** Null while it loads; never the content of another item than `id`, except within the delay of a switch. */
  detail: ItemDetail | null = $state.raw(null);
  grant: Grant | null = $state.raw(null);
  readonly history = new History();
  error: unknown = $state.raw(null);
  /** This tab had the claim and lost it. */
  lost = $state(false);
  /** It is shown while its claim is requested or its decision is in flight: it can be read, and actions are disabled. */
  pending = $state(false);
  /** The decision of this tab that the server has not answered yet. */
  saving: ReviewAction | null = $state(null);
  renewing = false;
  /** Called when the user lost access to the open item, before the page shows that. */
  onAccessLost: () => void = () => undefined;
  /** Called with an item that was read, before it is shown. */
  onread: (detail: ItemDetail) => void = () => undefined;
  /** Called when the open item changed: an event arrived, or it was read again. */
  onchanged: (detail: ItemDetail) => void = () => undefined;

  readonly #me: string;
  #generation = 0;
  /** The newest version of `id` named by an event, whether its content is here or not. */
  #newestVersion = 0;

  constructor(me: string) {
    this.#me = me;
  }

  /** The lease is about to end. */
  get leaseEnds(): boolean {
    return this.grant !== null && leaseEnds(this.grant, clock.now);
  }

  /** Loads an item for reading. Never throws: the cause is in `error`. */
  async show(id: string): Promise<void> {
    const generation = this.#begin(id);
    try {
      const detail = await this.#readNewest(id);
      if (generation !== this.#generation) return;
      this.onread(detail);
      this.detail = detail;
    } catch (error) {
      if (generation !== this.#generation) return;
      this.detail = null;
      this.error = error;
    }
  }

  /** Shows prefetched content while its claim is requested. */
  preview(detail: ItemDetail): void {
    this.#begin(detail.id);
    this.detail = detail;
    this.pending = true;
  }

  /** Restores an item whose decision was refused, with the claim it had. */
  restore({ detail, grant }: { detail: ItemDetail; grant: Grant }): void {
    this.#begin(detail.id);
    this.detail = detail;
    this.grant = grant;
    // Events that arrived while another item was open were not applied.
    void this.#refresh(detail.id);
  }

  read(id: string): Promise<ItemDetail> {
    return call(readQueueItem, { params: { id } });
  }

  /** The server gave this tab the claim. */
  take(granted: Granted): void {
    const { id, version } = granted.item;
    this.#begin(id);
    this.granted(granted);
    if (version < this.#newestVersion) void this.#refresh(id);
  }

  /** Applies the lease as the server has it now. */
  granted({ item, fence, expires_at }: Granted): void {
    const expiresAt = Date.parse(expires_at);
    this.detail = item;
    this.lost = this.pending = false;
    this.saving = null;
    this.grant = { fence, expiresAt, leaseMs: Math.max(1, expiresAt - clock.read()) };
  }

  /** This tab's own decision is in flight; actions are disabled until the answer. */
  send(action: ReviewAction): void {
    this.pending = true;
    this.saving = action;
  }

  /**
   * This tab's own decision was accepted; after an escalation or a return the item waits for others. An item that does not stay
   * open is left as it looks, so that nothing flashes before the next.
   */
  decided(detail: ItemDetail, stays: boolean): void {
    if (this.id !== detail.id) return;
    this.saving = null;
    this.pending = !stays;
    this.#ownDecision();
    this.#answered(detail);
  }

  /** It waits for people again. */
  reopened(detail: ItemDetail): void {
    if (this.id === detail.id) this.#answered(detail);
  }

  /**
   * The heartbeat: one at a time. Null when it failed or was late; the countdown then continues. A refusal proves the fence
   * invalid, regardless of events, and it is not sent again.
   */
  async renew(send: () => Promise<Granted>): Promise<Granted | null> {
    const { id, grant } = this;
    this.renewing = true;
    const granted = await send().catch((error: unknown) => {
      if (error instanceof ApiProblem && REFUSED.has(error.status) && this.id === id && this.grant === grant) {
        this.loseClaim();
        this.resync();
      }
      return null;
    });
    this.renewing = false;
    return granted !== null && this.isCurrentLease(granted) ? granted : null;
  }

  /** Whether a renewed lease is still that of the open item: no newer event has arrived. */
  isCurrentLease({ item, fence }: Granted): boolean {
    if (this.id !== item.id || this.lost || this.grant?.fence !== fence) return false;
    return item.version >= Math.max(this.detail?.version ?? 0, this.#newestVersion);
  }

  /** This tab's fence is invalid now, however the claim ended; the time it ended stays visible. */
  loseClaim(): void {
    if (this.grant === null) return;
    this.lost = true;
    this.grant = { ...this.grant, expiresAt: Math.min(this.grant.expiresAt, clock.read()) };
  }

  clear(): void {
    this.#generation += 1;
    this.history.switchTo(null);
    this.id = this.detail = this.grant = this.error = this.saving = null;
    this.pending = this.lost = false;
  }

  /** Applies an event. Only events newer than the shown content count. */
  receive(event: DomainEvent): void {
    const { detail, id } = this;
    if (!('version' in event) || event.item_id !== id) return;
    this.#newestVersion = Math.max(this.#newestVersion, event.version);
    if (detail?.id !== id) return;
    this.history.readSoon();
    if (event.version <= detail.version) return;
    if (event.type === 'item.decided' || event.type === 'item.finalized') {
      if (event.actor.id !== this.#me) this.loseClaim();
      void this.#refresh(detail.id);
    }
    if (event.type === 'item.claimed') this.#claimed(detail, event);
    else if ('item' in event) this.#change(detail, event.item);
    else if (event.type.startsWith('claim.')) this.#change(detail, { claim: null, version: event.version });
  }

  /** Reads everything again after an interruption. */
  resync(): void {
    if (this.id !== null) void this.#refresh(this.id);
  }

  #claimed(detail: ItemDetail, { actor, expires_at, version }: Extract<DomainEvent, { type: 'item.claimed' }>): void {
    const claim = { user_id: actor.id ?? '', name: actor.name, expires_at };
    this.#change(detail, { claim, version });
  }

  #change(detail: ItemDetail, change: Partial<ItemDetail>): void {
    this.detail = { ...detail, decision: null, decided_by: null, undo_until: null, ...change };
    if (change.claim?.user_id !== this.#me) this.loseClaim();
    this.onchanged(this.detail);
  }

  /** An answer may arrive later than events of the item: nothing newer is overwritten, and missing content is read. */
  #answered(detail: ItemDetail): void {
    if (this.detail?.id !== detail.id || this.detail.version <= detail.version) this.detail = detail;
    if (detail.version < this.#newestVersion) void this.#refresh(detail.id);
    this.history.readSoon();
  }

  /** An answer requested before an event may be older than that event: it is then requested once more. */
  async #readNewest(id: string): Promise<ItemDetail> {
    const detail = await this.read(id);
    return this.id === id && detail.version < this.#newestVersion ? this.read(id) : detail;
  }

  /** Refreshes in place: the content stays visible meanwhile. */
  async #refresh(id: string): Promise<void> {
    const generation = this.#generation;
    const detail = await this.read(id).catch((error: unknown) => this.#handleReadError(error, generation));
    if (detail === null || generation !== this.#generation || this.id !== id) return;
    if (detail.version < (this.detail?.version ?? 0)) return;
    this.detail = detail;
    if (detail.decision?.reviewer_id === this.#me) this.#ownDecision();
    // Someone else may have held the claim meanwhile.
    else if (detail.claim?.user_id !== this.#me) this.loseClaim();
    this.onchanged(detail);
    this.history.readSoon();
  }

  /** The claim ended with a decision of the user, possibly of another tab or one whose answer was lost. */
  #ownDecision(): void {
    this.grant = null;
    // The event of the user's own move may have arrived before its answer, and looked like somebody else's.
    this.lost = false;
  }

  /** A removed member has no claim and no access; any other failure changes nothing. */
  #handleReadError(error: unknown, generation: number): null {
    if (generation !== this.#generation || !(error instanceof ApiProblem && error.status === 404)) return null;
    this.onAccessLost();
    this.detail = this.grant = null;
    this.error = error;
    return null;
  }

  #begin(id: string): number {
    const generation = ++this.#generation;
    if (this.id !== id) {
      this.grant = null;
      this.lost = false;
      this.#newestVersion = 0;
    }
    this.id = id;
    this.history.switchTo(id);
    this.error = this.saving = null;
    this.pending = false;
    setTimeout(() => {
      if (generation === this.#generation && this.detail?.id !== id) this.detail = null;
    }, KEEP_PREVIOUS_MS);
    this.history.readSoon();
    return generation;
  }
}
