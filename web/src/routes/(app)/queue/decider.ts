// One decision on its way: painted before the server has answered, confirmed by its answer, or taken back without a trace.
import { ApiProblem, call, NetworkFailure } from '#lib/api.ts';
import { clock } from '#lib/clock.svelte.ts';
import type { Draft, Drafts, Words as Written } from '#lib/drafts.ts';
import type { Leave } from '#lib/live/queue-model.ts';
import type { LiveQueue } from '#lib/live/queue.svelte.ts';
import { parseJson, printJson } from '#lib/values/lossless.ts';
import { queueText as text } from '#lib/queue-text.ts';
import { decideItem, readHistory, readQueueItem } from '@countersign/shared/api/queue';
import type { User } from '@countersign/shared/api/session';
import type { Fact } from '@countersign/shared/events';
import type { ItemDetail, ItemRow } from '@countersign/shared/item';
import type { Json } from '@countersign/shared/json';
import type { ReviewAction } from '@countersign/shared/words';
import type { Announcer } from './announcer.svelte.ts';
import { isoOf, OUTCOME } from './desk-model.ts';
import type { Preferences } from './preferences.svelte.ts';
import type { Tray } from './tray.svelte.ts';

/** What the desk works with. */
export interface Parts {
  readonly me: User;
  readonly queue: LiveQueue;
  readonly drafts: Drafts;
  readonly tray: Tray;
  readonly announcer: Announcer;
  readonly preferences: Preferences;
}

/** What goes out with a decision besides its action. */
export interface Words {
  output?: Json;
  reason?: string;
  note?: string;
}

/** A decision as it goes out, and what was typed for it. What it is about may be known by its line alone. */
export interface Order<About extends ItemRow = ItemRow> {
  readonly detail: About;
  readonly fence: number;
  readonly action: ReviewAction;
  readonly words: Words;
  readonly draft: Draft | null;
  readonly written: Written;
}

/** An answer that has not come by then counts as none; asking whether it had effect may take as long again as this. Ms. */
const ANSWER_MS = 8000;
const LOOK_UP_MS = 4000;

/** What the reader did to an item, as its line shows it. */
export const ownLeave = (me: User, what: Leave['what']): Leave => ({
  what,
  by: me.name ?? text.you,
  mine: true,
  at: isoOf(clock.read()),
  undoUntil: null,
});

export class Decider {
  readonly #parts: Parts;
  /** Decisions whose answer never came: they may have had effect, or have it yet. */
  readonly #unsure = new Map<string, readonly Order[]>();

  /** What this reader moved on to other people: the version each item had then. */
  readonly passed = new Map<string, number>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Shows the decision as made: the line leaves, the tray has it. */
  paint({ detail, action, words, draft, written }: Order): void {
    const { queue, tray, me } = this.#parts;
    const { id: itemId, preview } = detail;
    const { reason = null } = words;
    queue.dispatch({ kind: 'saving', id: itemId, leave: ownLeave(me, OUTCOME[action]) });
    tray.add({ itemId, preview, action, reason, state: 'saving', undoUntil: null, windowMs: 0, draft, words: written });
  }

  /**
   * Sends it; answers the item as decided, and the order that had effect. An answer that never came may still have had
   * effect: then the item itself says so, and it may have been an earlier try with other words, which is painted instead. A
   * second try therefore looks first, and is not refused for what the first one did.
   * Throws {@link ApiProblem} when it was refused, {@link NetworkFailure} when nobody knows.
   */
  async send(order: Order): Promise<{ after: ItemDetail; order: Order }> {
    const { detail, fence, action, words } = order;
    const { id } = detail;
    const early = await this.#found(order);
    if (early !== null) return early;
    try {
      const body = { fence, action, ...words };
      const after = await call(decideItem, { params: { id }, body, timeoutMs: ANSWER_MS });
      this.#unsure.delete(id);
      return { after, order };
    } catch (error) {
      if (error instanceof NetworkFailure) this.#unsure.set(id, [...(this.#unsure.get(id) ?? []), order]);
      if (error instanceof ApiProblem && error.status !== 409) throw error;
      const landed = await this.#found(order);
      if (landed === null) throw error;
      return landed;
    }
  }

  /** The server has taken it: what went out with it has served its purpose, and nothing else is forgotten. */
  confirm(detail: ItemDetail, { action, words, draft, written }: Order): void {
    const { queue, tray, drafts, announcer, me } = this.#parts;
    drafts.sent(detail.id, {
      draft: action === 'edit' ? draft : null,
      note: written.note,
      own: words.reason === written.own.trim() ? written.own : '',
    });
    queue.put(detail, { ...ownLeave(me, OUTCOME[action]), undoUntil: detail.undo_until });
    tray.confirm(detail.id, detail);
    announcer.say(text.said.done[action]);
    if (isMove(action)) this.passed.set(detail.id, detail.version);
  }

  /**
   * An item was read that this reader decided, maybe on a page that left before the answer came: what went out with the
   * decision is no draft any more.
   */
  forgetSent({ id, decision }: ItemDetail): void {
    const { drafts, me } = this.#parts;
    if (decision?.reviewer_id !== me.id) return;
    const draft = drafts.read(id);
    const { note, own } = drafts.words(id);
    drafts.sent(id, {
      draft: draft !== null && says(draft.text, decision.output) ? draft : null,
      note: note.trim() === (decision.note ?? '') ? note : '',
      own: own.trim() === (decision.reason ?? '') ? own : '',
    });
  }

  /** The server has refused it: the line is as before, and so is the tray, unless its item has to be found again from there. */
  unpaint(id: string, onShow: boolean): void {
    const { queue, tray } = this.#parts;
    queue.dispatch({ kind: 'settled', id });
    if (onShow) tray.drop(id);
    else tray.fail(id);
  }

  /** An item was read again. Answers the decision of this reader that turns out to have had effect after all. */
  late(detail: ItemDetail): Order | null {
    const order = this.#unsure.get(detail.id)?.find((each) => this.#stands(detail, each)) ?? null;
    if (order !== null) this.#unsure.delete(detail.id);
    return order;
  }

  /** What turns out to have had effect, of all tries whose answer never came, painted; null when none did or nobody knows. */
  async #found(order: Order): Promise<{ after: ItemDetail; order: Order } | null> {
    const { id } = order.detail;
    if (!this.#unsure.has(id)) return null;
    const landed = await this.#landed(id).catch(() => null);
    if (landed === null) return null;
    this.#unsure.delete(id);
    if (landed.order !== order) this.paint(landed.order);
    return landed;
  }

  async #landed(id: string): Promise<{ after: ItemDetail; order: Order } | null> {
    const params = { id };
    const tries = this.#unsure.get(id) ?? [];
    const after = await call(readQueueItem, { params, timeoutMs: LOOK_UP_MS });
    const order = tries.find((each) => this.#stands(after, each));
    if (order !== undefined) return { after, order };
    // A move between people makes no decision that would carry a name: the history does.
    const moves = tries.filter(({ action, detail }) => isMove(action) && after.version > detail.version);
    if (moves.length === 0) return null;
    const { data } = await call(readHistory, { params, timeoutMs: LOOK_UP_MS });
    const moved = moves.find((each) => data.some((fact) => this.#tells(fact, each)));
    return moved === undefined ? null : { after, order: moved };
  }

  /** Whether what stands is this very decision, and not another one of the same reader. */
  #stands({ decision }: ItemDetail, { action, words }: Order): boolean {
    if (decision?.reviewer_id !== this.#parts.me.id || decision.action !== action) return false;
    if (decision.reason !== (words.reason ?? null) || decision.note !== (words.note ?? null)) return false;
    return action !== 'edit' || sameText(decision.output, words.output);
  }

  #tells(fact: Fact, { action, words, detail }: Order): boolean {
    if (fact.type !== (action === 'escalate' ? 'item.escalated' : 'item.queued')) return false;
    if (fact.actor.id !== this.#parts.me.id || fact.version <= detail.version) return false;
    return fact.reason === (words.reason ?? null) && (fact.note ?? null) === (words.note ?? null);
  }
}

const sameText = (a: Json, b: Json | undefined): boolean => b !== undefined && printJson(a, 0) === printJson(b, 0);

/** A move between people: it makes no decision. */
export const isMove = (action: ReviewAction): boolean => action === 'escalate' || action === 'return';

/** The note goes with whatever is decided, behind the one of the editor. */
export function withNote(words: Words, note: string): Words {
  const extra = note.trim();
  return extra === '' ? words : { ...words, note: [words.note, extra].filter(Boolean).join('\n') };
}

/** Whether what stands in an editor is this output, however it is laid out. */
function says(typed: string, output: Json): boolean {
  if (typeof output === 'string') return typed === output;
  try {
    return printJson(parseJson(typed)) === printJson(output);
  } catch {
    return false;
  }
}
