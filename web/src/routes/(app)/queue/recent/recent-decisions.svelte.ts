// The last decisions of this tab, newest first, through reloads too: provisional ones can be undone from here.
import { clock } from '#lib/time/clock.svelte.ts';
import type { Draft, Notes } from '#lib/drafts/drafts.ts';
import { json, persisted, tabStorage, type Persisted, type StorageArea } from '#lib/storage/persisted.ts';
import type { ItemDetail } from '@countersign/shared/schemas/parts/item';
import { ACTIONS, isMove, type ReviewAction } from '@countersign/shared/review-actions';

const MAX_RECENT = 10;
const KEY = 'countersign.recent';

/**
 * `saving`: not answered yet. `failed`: the decision was refused, and another item is open by now. `saved`: accepted, and
 * provisional until `undoUntil` (ms, server clock; null when it cannot be undone).
 */
export interface RecentDecision {
  readonly itemId: string;
  readonly name: string;
  readonly action: ReviewAction;
  readonly reason: string | null;
  readonly state: 'saving' | 'failed' | 'saved' | 'undone';
  readonly undoUntil: number | null;
  /** The length of its undo window in ms. */
  readonly windowMs: number;
  /** The version of its item when the decision was saved; 0 until then. */
  readonly version: number;
  /** The draft it was made from, restored on undo. */
  readonly draft: Draft | null;
  readonly notes: Notes;
}

/** The recent decisions of one user in one tab. The next user of the same tab does not see them. */
export class RecentDecisions {
  readonly user: string;
  #entries: readonly RecentDecision[] = $state.raw([]);
  readonly #stored: Persisted<StoredRecent>;
  #forgotten = false;

  constructor(user: string, store: StorageArea | null) {
    this.user = user;
    this.#stored = storedIn(() => store);
    const stored = this.#stored.read();
    if (stored.user === user) this.#entries = stored.entries;
    else this.#stored.remove();
  }

  get entries(): readonly RecentDecision[] {
    return this.#entries;
  }

  add(recent: RecentDecision): void {
    const others = this.#entries.filter((entry) => entry.itemId !== recent.itemId);
    this.#replace([recent, ...others].slice(0, MAX_RECENT));
  }

  drop(itemId: string): void {
    this.#replace(this.#entries.filter((entry) => entry.itemId !== itemId));
  }

  /** The server has answered: from now on its undo window applies. */
  confirm(itemId: string, { undo_until, version }: Pick<ItemDetail, 'undo_until' | 'version'>): void {
    const undoUntil = undo_until === null ? null : Date.parse(undo_until);
    const windowMs = undoUntil === null ? 0 : Math.max(1, undoUntil - clock.read());
    this.#change(itemId, { state: 'saved', undoUntil, windowMs, version });
  }

  /** The decision was refused; its item can be opened from here. */
  fail(itemId: string): void {
    this.#change(itemId, { state: 'failed', undoUntil: null });
  }

  /** The recent decision of an item. */
  of(itemId: string): RecentDecision | null {
    return this.#entries.find((entry) => entry.itemId === itemId) ?? null;
  }

  undone(itemId: string): void {
    this.#change(itemId, { state: 'undone', undoUntil: null });
  }

  /**
   * An item was read. Where it is open again since its decision was saved, that one was undone while no page listened. A move
   * leaves no decision on its item.
   */
  checkUndone({ id, status, decision, version }: ItemDetail): void {
    const recent = this.of(id);
    const open = decision === null && (status === 'queued' || status === 'escalated');
    if (recent?.state === 'saved' && !isMove(recent.action) && open && version > recent.version) this.undone(id);
  }

  final(itemId: string): void {
    this.#change(itemId, { undoUntil: null });
  }

  /** The newest decision that can still be undone. `now` in ms, server clock. */
  undoable(now: number): RecentDecision | null {
    return this.#entries.find((entry) => canUndo(entry, now)) ?? null;
  }

  /** As {@link undoable}, or one in flight that can be undone as soon as it is confirmed. */
  newest(now: number): RecentDecision | null {
    const pending = ({ state, action }: RecentDecision) => state === 'saving' && !isMove(action);
    return this.#entries.find((entry) => pending(entry) || canUndo(entry, now)) ?? null;
  }

  /** Removes all, for good: a page that is still open, and answers that arrive later, add none again. */
  forget(): void {
    this.#forgotten = true;
    this.#entries = [];
    this.#stored.remove();
  }

  #change(itemId: string, change: Partial<RecentDecision>): void {
    if (this.of(itemId) === null) return;
    this.#replace(this.#entries.map((entry) => (entry.itemId === itemId ? { ...entry, ...change } : entry)));
  }

  /** Only what was saved is stored: after a reload nothing waits for an answer, and texts are the business of drafts. */
  #replace(entries: readonly RecentDecision[]): void {
    if (this.#forgotten) return;
    this.#entries = entries;
    const saved = entries.filter(({ state }) => state === 'saved');
    this.#stored.write({ user: this.user, entries: saved.map((entry) => ({ ...entry, ...WITHOUT_TEXTS })) });
  }
}

const WITHOUT_TEXTS = { draft: null, notes: { note: '', own: '' } } as const;

/** Whether a decision can still be undone at `now` (ms, server clock). */
export const canUndo = (recent: RecentDecision, now: number): boolean =>
  recent.state === 'saved' && recent.undoUntil !== null && recent.undoUntil > now;

/** The tab stores those of one user: of the last one who decided something. */
interface StoredRecent {
  readonly user: string | null;
  readonly entries: readonly RecentDecision[];
}

const storedIn = (area: () => StorageArea | null): Persisted<StoredRecent> => persisted(KEY, json(validStored), area);

/** Anything may be stored there: only usable entries are shown, each item once. */
function validStored(stored: unknown): StoredRecent {
  const { user, entries }: Partial<Record<keyof StoredRecent, unknown>> =
    typeof stored === 'object' && stored !== null ? stored : {};
  const valid = Array.isArray(entries) ? entries.flatMap((entry: unknown) => validEntry(entry) ?? []) : [];
  const once = valid.filter(({ itemId }, at) => valid.findIndex((each) => each.itemId === itemId) === at);
  return { user: typeof user === 'string' ? user : null, entries: once.slice(0, MAX_RECENT) };
}

function validEntry(stored: unknown): RecentDecision | null {
  if (typeof stored !== 'object' || stored === null) return null;
  const { itemId, name, action, reason, undoUntil, windowMs, version }: Partial<Record<keyof RecentDecision, unknown>> =
    stored;
  const isAction = (value: unknown): value is ReviewAction =>
    typeof value === 'string' && Object.hasOwn(ACTIONS, value);
  if (typeof itemId !== 'string' || typeof name !== 'string' || !isAction(action)) return null;
  return {
    itemId,
    name,
    action,
    reason: typeof reason === 'string' ? reason : null,
    state: 'saved',
    undoUntil: typeof undoUntil === 'number' ? undoUntil : null,
    windowMs: typeof windowMs === 'number' ? windowMs : 1,
    version: typeof version === 'number' ? version : 0,
    ...WITHOUT_TEXTS,
  };
}

let known: RecentDecisions | null = null;

/** The recent decisions of a user, one instance for all pages: one whose answer is still out arrives in it. */
export function recentDecisionsOf(user: string): RecentDecisions {
  if (known?.user === user) return known;
  known?.forget();
  known = new RecentDecisions(user, tabStorage());
  return known;
}

/** Called when the user signs out: nobody sees their last decisions in this tab, also when they sign in again. */
export function forgetRecentDecisions(): void {
  known?.forget();
  known = null;
  // Those of before a reload, where no page has read them since.
  storedIn(tabStorage).remove();
}
