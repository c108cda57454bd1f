// Decides several items: claims all or none (LC5), decides them one by one, and releases the rest when it stops.
import { nameOf } from '#lib/format/name-of.ts';
import { ApiProblem, call, isRefusal } from '#lib/api/client.ts';
import { claimBulk, releaseClaim } from '@countersign/shared/routes/queue';
import type { BulkGranted } from '@countersign/shared/schemas/queue';
import type { ErrorCode } from '@countersign/shared/errors';
import type { ItemRow } from '@countersign/shared/schemas/parts/item';
import type { ActionWith } from '@countersign/shared/review-actions';
import { actionBlock } from '../item/answer/approval-block.ts';
import { DecisionSender, ownRemoval, type Parts } from '../session/review-requests.ts';
import type { Selection } from './selection.svelte.ts';

export type BulkAction = ActionWith<'bulk', true>;

/** Claiming a hundred items may take longer than the default timeout. Ms. */
const CLAIM_TIMEOUT_MS = 30_000;
/** The item is not the user's any more; any other refusal but {@link isImpossible} would apply to all items. */
const GONE_CODES: readonly ErrorCode[] = ['claim_lost', 'claim_held', 'already_decided', 'expired', 'not_found'];

/** Whether this very item does not allow the action (LC7, TS2). It is still claimed by the user. */
const isImpossible = (error: ApiProblem): boolean =>
  error.code === 'answer_invalid' || error.errors.some(({ code }) => code === 'not_allowed');

export interface FailedItem {
  readonly id: string;
  readonly name: string;
  readonly error: unknown;
}

export interface SkippedItem {
  readonly id: string;
  readonly name: string;
  readonly why: string;
}

interface BulkDecisionInput {
  readonly projectId: string;
  readonly action: BulkAction;
  readonly reason: string | null;
}

export class BulkDecision {
  state: 'idle' | 'taking' | 'deciding' | 'over' = $state('idle');
  /** The number of items, and how many of them are decided. */
  all = $state(0);
  done = $state(0);
  /** Items released undecided; and items whose release failed, which stay claimed until the lease ends. */
  released = $state(0);
  notReleased = $state(0);
  failed: readonly FailedItem[] = $state.raw([]);
  /** Items that the action is not possible for. They stay selected, and nobody holds them. */
  skipped: readonly SkippedItem[] = $state.raw([]);
  /** Why no item could be claimed, and the blocking item where there is one. */
  refused: { error: unknown; blockingItem: string | null } | null = $state.raw(null);
  stopping = $state(false);
  /** It ended before every item was tried. */
  stopped = $state(false);

  readonly #parts: Parts;
  readonly #selection: Selection;

  constructor(parts: Parts, selection: Selection) {
    this.#parts = parts;
    this.#selection = selection;
  }

  get running(): boolean {
    return this.state === 'taking' || this.state === 'deciding';
  }

  /** Claims the selected items and decides them. Never throws: errors are in `refused` and `failed`. */
  async run(input: BulkDecisionInput): Promise<void> {
    const selected = [...this.#selection.ids];
    if (this.#selection.busy || selected.length === 0) return;
    this.#selection.batch = this;
    this.forget();
    const ids = selected.filter((id) => !this.#skip(id, input.action));
    if (ids.length === 0) return void (this.state = 'over');
    this.state = 'taking';
    this.all = ids.length;
    const granted = await this.#take(input.projectId, ids);
    if (granted === null) return;
    this.state = 'deciding';
    await this.#decideAll(granted, input);
    this.state = 'over';
  }

  /** Sends no further decision; the one in flight still counts. */
  stop(): void {
    this.stopping = this.running;
  }

  /** Clears the result. */
  forget(): void {
    if (this.running) return;
    this.state = 'idle';
    this.all = this.done = this.released = this.notReleased = 0;
    this.failed = [];
    this.skipped = [];
    this.refused = null;
    this.stopping = this.stopped = false;
  }

  /** Leaves an item unclaimed that the action is not possible for, and says why. */
  #skip(id: string, action: BulkAction): boolean {
    const row = this.#parts.queue.state.rows.get(id);
    const block = row === undefined ? null : actionBlock(row, action);
    if (row === undefined || block === null) return false;
    this.#addSkipped(row, block);
    return true;
  }

  #addSkipped(row: ItemRow, why: string): void {
    this.skipped = [...this.skipped, { id: row.id, name: nameOf(row), why }];
  }

  async #take(projectId: string, ids: string[]): Promise<BulkGranted[] | null> {
    const { queue, me } = this.#parts;
    try {
      const body = { project_id: projectId, item_ids: ids };
      const { data } = await call(claimBulk, { body, timeoutMs: CLAIM_TIMEOUT_MS });
      for (const granted of data) queue.put(granted.item, ownRemoval(me, 'taken'));
      return data;
    } catch (error) {
      this.state = 'idle';
      this.stopping = false;
      this.refused = { error, blockingItem: this.#blockingItem(error, ids) };
      return null;
    }
  }

  /** The item that a refusal names. */
  #blockingItem(error: unknown, ids: readonly string[]): string | null {
    const pointer = error instanceof ApiProblem ? error.errors[0]?.pointer : undefined;
    const id = ids[Number(/^#\/item_ids\/(\d+)$/.exec(pointer ?? '')?.[1] ?? NaN)];
    const row = id === undefined ? undefined : this.#parts.queue.state.rows.get(id);
    return row === undefined ? (id ?? null) : nameOf(row);
  }

  async #decideAll(granted: readonly BulkGranted[], input: BulkDecisionInput): Promise<void> {
    const decisionSender = new DecisionSender(this.#parts);
    for (const [at, one] of granted.entries()) {
      // An item refused for a reason that applies to all is still claimed by the user: it is released with the rest.
      if (this.stopping || !(await this.#decide(decisionSender, one, input))) return this.#stopAt(granted.slice(at));
    }
  }

  /** Returns whether the next item may be tried. */
  async #decide(
    decisionSender: DecisionSender,
    { item, fence }: BulkGranted,
    { action, reason }: BulkDecisionInput,
  ): Promise<boolean> {
    const input = reason === null ? {} : { reason };
    const request = { detail: item, fence, action, input, reason, draft: null, notes: { note: '', own: '' } };
    decisionSender.applyOptimistic(request);
    try {
      const { after, request: sent } = await decisionSender.send(request);
      decisionSender.confirm(after, sent);
      this.done += 1;
      this.#drop(item.id);
      return true;
    } catch (error) {
      decisionSender.rollBack(item.id, true);
      if (error instanceof ApiProblem && isImpossible(error)) {
        this.#addSkipped(item, error.detail);
        if (!(await release(item.id, fence))) this.notReleased += 1;
        return true;
      }
      this.failed = [...this.failed, { id: item.id, name: nameOf(item), error }];
      const isGone = isRefusal(error, GONE_CODES);
      if (isGone) this.#drop(item.id);
      return isGone;
    }
  }

  /** Releases the rest: the items not tried, and one whose refusal applies to all of them. They stay selected. */
  async #stopAt(granted: readonly BulkGranted[]): Promise<void> {
    this.stopped = true;
    for (const { item, fence } of granted) {
      if (await release(item.id, fence)) this.released += 1;
      else this.notReleased += 1;
    }
  }

  #drop(id: string): void {
    this.#selection.narrow((each) => each !== id);
  }
}

/** Returns whether the claim has ended. */
const release = (id: string, fence: number): Promise<boolean> =>
  call(releaseClaim, { params: { id }, body: { fence } }).then(
    () => true,
    () => false,
  );
