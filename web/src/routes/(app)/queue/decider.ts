// One decision on its way: painted before the server has answered, confirmed by its answer, or taken back without a trace.
import { call, NetworkFailure } from '#lib/api.ts';
import { clock } from '#lib/clock.svelte.ts';
import type { Drafts } from '#lib/drafts.ts';
import type { Leave } from '#lib/live/queue-model.ts';
import type { LiveQueue } from '#lib/live/queue.svelte.ts';
import { queueText as text } from '#lib/queue-text.ts';
import { decideItem, readQueueItem } from '@countersign/shared/api/queue';
import type { User } from '@countersign/shared/api/session';
import type { ItemDetail } from '@countersign/shared/item';
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

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Shows the decision as made: the line leaves, the tray has it. */
  paint(
    { id: itemId, preview }: ItemDetail,
    action: ReviewAction,
    { reason = null }: { reason?: string | null },
  ): void {
    const { queue, tray, drafts, me } = this.#parts;
    queue.dispatch({ kind: 'saving', id: itemId, leave: ownLeave(me, OUTCOME[action]) });
    const draft = drafts.read(itemId);
    tray.add({ itemId, preview, action, reason, state: 'saving', undoUntil: null, windowMs: 0, draft });
  }

  /** Sends it. An answer that never came may still have had effect: then the item itself says so. */
  async send(id: string, body: { fence: number; action: ReviewAction } & Words): Promise<ItemDetail> {
    try {
      return await call(decideItem, { params: { id }, body });
    } catch (error) {
      if (!(error instanceof NetworkFailure)) throw error;
      const detail = await call(readQueueItem, { params: { id } }).catch(() => null);
      if (detail?.decision?.reviewer_id === this.#parts.me.id) return detail;
      throw error;
    }
  }

  /** The server has taken it: the draft has served its purpose. */
  confirm(detail: ItemDetail, action: ReviewAction): void {
    const { queue, tray, drafts, announcer, me } = this.#parts;
    drafts.drop(detail.id);
    queue.put(detail, { ...ownLeave(me, OUTCOME[action]), undoUntil: detail.undo_until });
    tray.confirm(detail.id, detail);
    announcer.say(text.said.done[action]);
  }

  /** The server has refused it: line and tray are as before. */
  unpaint(id: string): void {
    this.#parts.queue.dispatch({ kind: 'settled', id });
    this.#parts.tray.drop(id);
  }
}
