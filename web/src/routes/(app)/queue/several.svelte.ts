// Deciding several items together: taken all or none (LC5), then decided one by one; what is left when it stops is given back.
import { ApiProblem, call } from '#lib/api.ts';
import { claimSeveral, releaseClaim, type GrantedTogether } from '@countersign/shared/api/queue';
import type { ErrorCode } from '@countersign/shared/errors';
import { Decider, ownLeave, type Parts } from './decider.ts';
import type { Selection } from './selection.svelte.ts';

export const TOGETHER = ['approve', 'reject', 'escalate'] as const;
export type Together = (typeof TOGETHER)[number];

/** Taking a hundred items may take longer than one answer does. Ms. */
const TAKING_MS = 30_000;
/** What one item has against it says nothing of the next; any other refusal would be everybody's. */
const OF_ONE: readonly ErrorCode[] = ['claim_lost', 'claim_held', 'already_decided', 'not_found'];

export interface Failed {
  readonly id: string;
  readonly preview: string;
  readonly error: unknown;
}

interface What {
  readonly projectId: string;
  readonly action: Together;
  readonly reason: string | null;
}

export class Several {
  state: 'idle' | 'taking' | 'deciding' | 'over' = $state('idle');
  /** How many there are, and how many of them are decided. */
  all = $state(0);
  done = $state(0);
  /** Given back undecided; and those that could not be, and stay the reader's until the lease ends. */
  back = $state(0);
  stuck = $state(0);
  failed: readonly Failed[] = $state.raw([]);
  /** Why none could be taken, and the item in the way where it is one. */
  refused: { error: unknown; inTheWay: string | null } | null = $state.raw(null);
  stopping = $state(false);

  readonly #parts: Parts;
  readonly #selection: Selection;

  constructor(parts: Parts, selection: Selection) {
    this.#parts = parts;
    this.#selection = selection;
  }

  get running(): boolean {
    return this.state === 'taking' || this.state === 'deciding';
  }

  /** Takes what is selected and decides it. Never throws: what went wrong stands in `refused` and `failed`. */
  async run(what: What): Promise<void> {
    const ids = [...this.#selection.ids];
    if (this.#selection.busy || ids.length === 0) return;
    this.#selection.batch = this;
    this.forget();
    this.state = 'taking';
    this.all = ids.length;
    const granted = await this.#take(what.projectId, ids);
    if (granted === null) return;
    this.state = 'deciding';
    await this.#decideAll(granted, what);
    this.state = 'over';
  }

  /** No decision goes out from here on; the one that is on its way counts. */
  stop(): void {
    this.stopping = this.running;
  }

  /** Puts the outcome away. */
  forget(): void {
    if (this.running) return;
    this.state = 'idle';
    this.all = this.done = this.back = this.stuck = 0;
    this.failed = [];
    this.refused = null;
    this.stopping = false;
  }

  async #take(projectId: string, ids: string[]): Promise<GrantedTogether[] | null> {
    const { queue, me } = this.#parts;
    try {
      const body = { project_id: projectId, item_ids: ids };
      const { data } = await call(claimSeveral, { body, timeoutMs: TAKING_MS });
      for (const granted of data) queue.put(granted.item, ownLeave(me, 'taken'));
      return data;
    } catch (error) {
      this.state = 'idle';
      this.stopping = false;
      this.refused = { error, inTheWay: this.#inTheWay(error, ids) };
      return null;
    }
  }

  /** The line that a refusal points at. */
  #inTheWay(error: unknown, ids: readonly string[]): string | null {
    const pointer = error instanceof ApiProblem ? error.errors[0]?.pointer : undefined;
    const id = ids[Number(/^#\/item_ids\/(\d+)$/.exec(pointer ?? '')?.[1] ?? NaN)];
    return id === undefined ? null : (this.#parts.queue.state.rows.get(id)?.preview ?? id);
  }

  async #decideAll(granted: readonly GrantedTogether[], what: What): Promise<void> {
    const decider = new Decider(this.#parts);
    for (const [at, one] of granted.entries()) {
      // One that was refused for everybody's reason is still the reader's: it goes back with the rest.
      if (this.stopping || !(await this.#decide(decider, one, what))) return this.#giveBack(granted.slice(at));
    }
  }

  /** Answers whether the next one may be tried. */
  async #decide(decider: Decider, { item, fence }: GrantedTogether, { action, reason }: What): Promise<boolean> {
    const words = reason === null ? {} : { reason };
    const order = { detail: item, fence, action, words, reason, draft: null, written: { note: '', own: '' } };
    decider.paint(order);
    try {
      const { after, order: had } = await decider.send(order);
      decider.confirm(after, had);
      this.done += 1;
      this.#drop(item.id);
      return true;
    } catch (error) {
      decider.unpaint(item.id, true);
      this.failed = [...this.failed, { id: item.id, preview: item.preview, error }];
      const ofOne = error instanceof ApiProblem && OF_ONE.includes(error.code);
      if (ofOne) this.#drop(item.id);
      return ofOne;
    }
  }

  async #giveBack(granted: readonly GrantedTogether[]): Promise<void> {
    for (const { item, fence } of granted) {
      const params = { id: item.id };
      const gone = await call(releaseClaim, { params, body: { fence } }).then(
        () => true,
        () => false,
      );
      if (gone) this.back += 1;
      else this.stuck += 1;
    }
  }

  #drop(id: string): void {
    this.#selection.keep((each) => each !== id);
  }
}
