// What each command of the review session asks the server for, and the callers who are told its result.
import { call, NetworkFailure } from '#lib/api/client.ts';
import { queueMessages as messages } from '#lib/messages/queue-messages.ts';
import {
  claimItem,
  releaseClaim,
  renewClaim,
  reopenItem,
  takeOver,
  undoDecision,
  readQueueItem,
  type Granted,
} from '@countersign/shared/api/queue';
import type { ItemDetail } from '@countersign/shared/item';
import type { RecentDecision } from '../recent/recent-decisions.svelte.ts';
import { ownRemoval, type DecisionSender, type Parts } from './decision-sender.ts';
import { ClaimRecovery, claimAfter, claimAny, claimNextRow, isRefusal, type NextItemContext } from './next-item.ts';
import type { Answer, ReviewEvent } from './review-events.ts';
import type { Job, JobOf } from './review-state.ts';

type Requests = { [K in Job['kind']]: (job: JobOf<K>) => Promise<Answer> };

export class CommandRequests {
  readonly #parts: Parts & NextItemContext;
  readonly #sender: DecisionSender;
  /** Tells the reducer that a first step had effect. */
  readonly #dispatch: (event: ReviewEvent) => void;
  readonly #recovery = new ClaimRecovery();

  constructor(parts: Parts & NextItemContext, sender: DecisionSender, dispatch: (event: ReviewEvent) => void) {
    this.#parts = parts;
    this.#sender = sender;
    this.#dispatch = dispatch;
  }

  readonly #requests: Requests = {
    open: async ({ id }) => granted(await call(claimItem, { params: { id } })),
    takeOver: async ({ id }) => granted(await call(takeOver, { params: { id } })),
    reopen: async ({ id }) => ({ kind: 'item', detail: await call(reopenItem, { params: { id }, body: {} }) }),
    next: async ({ shown }) => granted(await this.#claim(() => claimAny(shown, this.#parts))),
    advance: async ({ done }) => granted(await this.#claim(() => claimAfter(done, this.#parts))),
    skip: async ({ id, fence }) => {
      await this.#release(id, fence);
      return granted(await this.#claim(() => claimNextRow(id, this.#parts)));
    },
    giveBack: async ({ id, fence }) => {
      await this.#release(id, fence);
      return { kind: 'done' };
    },
    extend: async ({ id, fence }) => granted(await call(renewClaim, { params: { id }, body: { fence } })),
    decide: async ({ decision }) => ({ kind: 'decided', ...(await this.#sender.send(decision.request)) }),
    undo: (job) => this.#undo(job),
  };

  send(job: Job): Promise<Answer> {
    // The table pairs each kind with its own request; the compiler cannot follow the pairing through an index.
    return (this.#requests[job.kind] as (job: Job) => Promise<Answer>)(job);
  }

  #claim(ask: () => Promise<Granted | null>): Promise<Granted | null> {
    return this.#recovery.claim(this.#parts, ask);
  }

  /** Releases a claim; one that is already gone counts as released. */
  async #release(id: string, fence: number): Promise<void> {
    try {
      await call(releaseClaim, { params: { id }, body: { fence } });
    } catch (error) {
      if (!isRefusal(error, ['claim_lost', 'already_decided', 'not_found'])) throw error;
    }
    this.#dispatch({ kind: 'released', id });
  }

  /** Undoes a decision and claims its item again; a retry continues at the step that failed. */
  async #undo({ recent, waited, sent, caller }: JobOf<'undo'>): Promise<Answer> {
    const { itemId: id } = recent;
    const state = this.#parts.recentDecisions.of(id)?.state ?? '';
    // The command it waited for has undone it already, or the decision was refused.
    if (!sent && waited && ['undone', 'failed'].includes(state)) return { kind: 'over' };
    if (!sent) await this.#undoDecision(recent);
    this.#dispatch({ kind: 'undone', caller });
    try {
      return granted(await call(claimItem, { params: { id } }));
    } catch (error) {
      // Someone else claimed it first: the decision is undone all the same.
      if (!isRefusal(error, ['claim_held', 'already_decided'])) throw error;
      return { kind: 'taken' };
    }
  }

  async #undoDecision({ itemId, draft, notes: sent }: RecentDecision): Promise<void> {
    const { queue, recentDecisions, drafts, announcer, me } = this.#parts;
    const detail = await sendUndo(itemId);
    queue.put(detail, ownRemoval(me, 'queued'));
    recentDecisions.undone(itemId);
    if (draft !== null && drafts.read(itemId) === null) drafts.save(itemId, draft);
    const { note, own } = drafts.notes(itemId);
    drafts.saveNotes(itemId, { note: note || sent.note, own: own || sent.own });
    announcer.say(messages.announcement.undone);
  }
}

const granted = (answer: Granted | null): Answer => ({ kind: 'granted', granted: answer });

/** An undo whose answer was lost may have had effect, and is refused the next time: the item then tells. */
async function sendUndo(id: string): Promise<ItemDetail> {
  try {
    return await call(undoDecision, { params: { id } });
  } catch (error) {
    if (!(error instanceof NetworkFailure) && !isRefusal(error, ['undo_window_passed'])) throw error;
    const detail = await call(readQueueItem, { params: { id } });
    if (detail.decision !== null || (detail.status !== 'queued' && detail.status !== 'escalated')) throw error;
    return detail;
  }
}

/** The callers of commands, each told the result once. */
export class Callers {
  readonly #waiting = new Map<number, (result: boolean) => void>();
  #last = 0;

  /** Calls `ask` with the number of a new caller; resolves to its result. */
  add(ask: (caller: number) => void): Promise<boolean> {
    const caller = ++this.#last;
    return new Promise((resolve) => {
      this.#waiting.set(caller, resolve);
      ask(caller);
    });
  }

  tell(caller: number, result: boolean): void {
    this.#waiting.get(caller)?.(result);
    this.#waiting.delete(caller);
  }
}
