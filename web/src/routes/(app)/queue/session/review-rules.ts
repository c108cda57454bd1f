// The rules of the review session, pure: available actions, claim renewal, and the next row.
import type { Entry } from '#lib/live/queue/queue-model.ts';
import type { ItemDetail, ItemRow } from '@countersign/shared/item';
import type { ActionWith } from '@countersign/shared/review-actions';

/** A claim that this tab holds: the fence to send, and the lease in ms, server clock. */
export interface Grant {
  readonly fence: number;
  readonly expiresAt: number;
  readonly leaseMs: number;
}

/**
 * The state of the open item for its user. `mine`: claimed here, actions work. `ended`: the lease ran out, nobody holds it.
 * `free`: can be claimed. `held`: someone else holds it. `barred`: only a supervisor may decide it. `decided`: it is done.
 * `loading`: its claim is requested, or its decision is in flight; it looks like `mine`, and actions are disabled.
 */
export type Stage = 'mine' | 'loading' | 'ended' | 'free' | 'held' | 'barred' | 'decided';

interface StageInput {
  detail: ItemDetail;
  grant: Grant | null;
  /** See `OpenItem.pending`. */
  pending?: boolean;
  me: string;
  /** Whether the user may decide escalated items of this project (rule PM). */
  supervises: boolean;
  /** Server time in ms. */
  now: number;
}

/** See {@link Stage}. */
export function stageOf({ detail, grant, pending = false, me, supervises, now }: StageInput): Stage {
  if (pending) return 'loading';
  if (detail.status !== 'queued' && detail.status !== 'escalated') return 'decided';
  if (detail.claim !== null && detail.claim.user_id !== me) return 'held';
  if (detail.status === 'escalated' && !supervises) return 'barred';
  if (grant === null) return 'free';
  return grant.expiresAt > now ? 'mine' : 'ended';
}

/** The actions that require a reason, and no other input. */
export type ReasonedAction = ActionWith<'requires', 'reason'>;

const WARN_MS = 60_000;
const INPUT_MS = 60_000;

/** Whether so little of the lease is left that a text warns of it (SC 2.2.1); half of it when the whole is a minute or less. */
export const leaseEnds = (grant: Grant, now: number): boolean =>
  grant.expiresAt - now <= Math.min(WARN_MS, grant.leaseMs / 2);

/** The heartbeat: a third of the lease is gone, the tab is visible, and its user was active in the last minute. Times in ms. */
export function shouldRenew(
  grant: Grant,
  { now, visible, inputAt }: { now: number; visible: boolean; inputAt: number },
): boolean {
  const left = grant.expiresAt - now;
  return visible && now - inputAt <= INPUT_MS && left > 0 && left <= (grant.leaseMs * 2) / 3;
}

/** The next row after a completed one: below it first, then from the top. Free, or the user's own. */
export function nextLine(
  entries: readonly Entry[],
  after: string | null,
  takes: (row: ItemRow) => boolean,
): ItemRow | null {
  const at = entries.findIndex((entry) => entry.id === after);
  const turned = [...entries.slice(at + 1), ...entries.slice(0, Math.max(0, at))];
  return turned.find((entry) => entry.removal === null && takes(entry.row))?.row ?? null;
}

/** The row above or below; `step` is 1 or -1. Stops at the ends. */
export function stepLine(entries: readonly Entry[], from: string | null, step: 1 | -1): string | null {
  const at = entries.findIndex((entry) => entry.id === from);
  if (at === -1) return entries[0]?.id ?? null;
  return entries[Math.min(entries.length - 1, Math.max(0, at + step))]?.id ?? null;
}

/** A reason that asks for the reviewer's own text. */
const isOpenReason = (reason: string): boolean => /^other\b/i.test(reason);

/** The chips of the bar: the project's reasons, and a last one for a custom reason where they contain none. */
export function chipsOf(reasons: readonly string[], ownReasonLabel: string): { label: string; open: boolean }[] {
  const chips = reasons.map((label, at) => ({ label, open: at === reasons.length - 1 && isOpenReason(label) }));
  return chips.at(-1)?.open ? chips : [...chips, { label: ownReasonLabel, open: true }];
}

/** A time in ms as the ISO text of events and drafts. */
export const isoOf = (ms: number): string => new Date(ms).toISOString();
