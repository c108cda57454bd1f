// What one event adds to the figures of its project: the rules of the rollups (AN1 to AN5), without a database.
import type { DecisionAction, DeliveryStatus, ItemStatus } from '@countersign/shared/enums';
import type { DomainEventType } from '@countersign/shared/schemas/parts/events';
import { bucketOf } from './histogram.ts';
import { isOpen } from '../items/item.ts';
import { keyOfName } from './rollup-names.ts';
import { ACTIONS, isJudging, isOverride } from '@countersign/shared/review-actions';

/** What is counted, and what the keys of each measure are. `part` and `total` are 0 unless mentioned. */
export const MEASURES = {
  /** Items, dated to their arrival, by the status that routing gave them. */
  arrived: 'first status',
  /** Items, dated to their arrival, by their present status. */
  status: 'status',
  /** Items that began to wait minus those that stopped, by status. The sum from the beginning is how many wait. */
  waiting: 'open status',
  /** Time from arrival to the first claim, in ms. */
  claim_time: 'bucket',
  /** Time from arrival to a person's decision or verdict, in ms. */
  decide_time: 'bucket',
  /** People's decisions; verdicts of audits are counted separately, here and below. part: on items without a suggestion. */
  decided: 'action',
  verdict: 'action',
  /** People's decisions; part: overrides. */
  flag: 'flag',
  model: 'model',
  source: 'source',
  /** Items that their deadline ended (DL1), at that time. Audits are approved already, and count nowhere here. */
  expired: 'status',
  expired_flag: 'flag',
  expired_model: 'model',
  /** Items that left the queue without a decision, at that time. Those of `expired` are not included. */
  left: 'status',
  /** Withdrawn items, dated to when they began to wait: nobody had to decide them (AN1). */
  withdrawn: 'open status',
  /**
   * People's decisions on a suggestion, by its confidence; part: approved
   * unchanged; total: the sum of confidences, in millionths.
   */
  bin: 'bin',
  verdict_bin: 'bin',
  /** Decisions and verdicts of one person; part: overrides. */
  reviewer: 'user id',
  /** Moves between people by one person. */
  mover: 'user id',
  /** Claims of one person. */
  claimer: 'user id',
  /** Attempts that ended, by outcome. */
  delivery: 'outcome',
  /** Deliveries that were sent again, dated to the end that they had, by its outcome: they have not ended that way (WH10). */
  resent: 'outcome',
  /** Time from the creation of a delivery to its first success, in ms. */
  deliver_time: 'bucket',
} as const;
export type Measure = keyof typeof MEASURES;

/** One figure of one moment. */
export interface Increment {
  measure: Measure;
  key: string;
  /** Milliseconds since 1970. */
  at: number;
  n: number;
  part: number;
  total: number;
}

/** What is counted of an item; none of it changes after the arrival. */
export interface CountedItem {
  createdAt: Date;
  confidence: number;
  riskFlags: readonly string[];
  model: string | null;
  source: string | null;
  /** Drawn for an audit (AU1). */
  audit: boolean;
  /** False: there was none to judge (TS5). */
  hasSuggestion: boolean;
}

/** The state of an item after an event. */
export interface ItemSnapshot {
  at: Date;
  status: ItemStatus;
  action: DecisionAction | null;
  /** The member who acted; null for other actors. */
  memberId: string | null;
}

/** An event with what is needed to count it. */
export interface CountedEvent {
  type: DomainEventType;
  at: Date;
  memberId: string | null;
  /** Of the item, after the event; 1 is its arrival. */
  version: number;
  /** Null when the event does not change an item. */
  status: ItemStatus | null;
  action: DecisionAction | null;
  item: CountedItem | null;
  /** The state of the item before the event. */
  before: ItemSnapshot | null;
  /** Of a revision: the status and the action that it replaces; null for other events. */
  was: { status: ItemStatus; action: DecisionAction | null } | null;
  /** Of a withdrawal: when the item began to wait, the last time; null for other events. */
  waitedFrom: Date | null;
  /** Of a claim: the first one of the item. Of a delivery: its first success. */
  first: boolean;
  /** `failed`: an attempt that will be retried. Null for other events, and for a delivery without an attempt. */
  delivery: { outcome: DeliveryOutcome; createdAt: Date } | null;
  /** Of a delivery that is sent again: how and when it had ended. Null for other events. */
  resent: { outcome: DeliveryOutcome; endedAt: Date } | null;
}

export const DELIVERY_OUTCOMES = ['succeeded', 'failed', 'dead', 'paused'] as const satisfies (
  | DeliveryStatus
  | 'failed'
)[];
export type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number];

/** Bins of confidence between 0 and 1; each includes its lower end, the last one includes 1 as well. */
export const CONFIDENCE_BINS = 20;
/** Confidences are summed as integers, so that the order does not change the sum: exact to the sixth decimal. */
export const MILLION = 1_000_000;

type OfItem = CountedEvent & { item: CountedItem; status: ItemStatus };

const COUNTS = {
  'item.queued': ofItem(waits),
  'item.escalated': ofItem(waits),
  'item.decided': ofItem(decides),
  'item.undone': ofItem(undoes),
  // A decision counts when it is made (AN2): the end of its undo window adds nothing.
  'item.finalized': ofItem((event) => (event.version === 1 ? arrives(event) : [])),
  'item.withdrawn': ofItem(withdraws),
  'decision.revised': ofItem(revises),
  'item.expired': ofItem(expires),
  'item.extended': () => [],
  'item.claimed': claims,
  'claim.released': () => [],
  'claim.expired': () => [],
  'delivery.changed': delivers,
  'project.changed': () => [],
} as const satisfies Record<DomainEventType, (event: CountedEvent) => Increment[]>;

/** What the event adds; an undo subtracts what its decision added, in that decision's minute. */
export const incrementsOf = (event: CountedEvent): Increment[] => COUNTS[event.type](event);

/** An event whose item no longer exists counts nothing: its project is being deleted (AR2). */
function ofItem(count: (event: OfItem) => Increment[]) {
  return (event: CountedEvent): Increment[] => {
    const { item, status } = event;
    return item === null || status === null ? [] : count({ ...event, item, status });
  };
}

const one = (measure: Measure, key: string, at: Date): Increment => {
  return { measure, key, at: at.getTime(), n: 1, part: 0, total: 0 };
};

const negated = ({ n, part, total, ...rest }: Increment): Increment => ({
  ...rest,
  n: -n,
  part: -part,
  total: -total,
});

/** AN1. An item drawn for an audit was approved, and waits. */
function arrives({ item, status }: OfItem): Increment[] {
  const at = item.createdAt;
  return [
    one('arrived', item.audit ? 'auto_approved' : status, at),
    one('status', status, at),
    ...(isOpen(status) ? [one('waiting', status, at)] : []),
  ];
}

/** An item changes its status: in its cohort, and in or out of the queue. */
function moves({ item, status, before, at }: OfItem): Increment[] {
  if (before === null) return [];
  const left = [
    one('status', before.status, item.createdAt),
    ...(isOpen(before.status) ? [one('waiting', before.status, at)] : []),
  ];
  const entered = [one('status', status, item.createdAt), ...(isOpen(status) ? [one('waiting', status, at)] : [])];
  return [...left.map(negated), ...entered];
}

function waits(event: OfItem): Increment[] {
  if (event.version === 1) return arrives(event);
  const { memberId, before, at } = event;
  const moved = memberId !== null && before !== null && isOpen(before.status);
  return [...moves(event), ...(moved ? [one('mover', memberId, at)] : [])];
}

function decides(event: OfItem): Increment[] {
  const { item, at, action, memberId } = event;
  const part = isOverride(action) && item.hasSuggestion ? 1 : 0;
  return [
    ...moves(event),
    ...outcomeOf(event),
    one('decide_time', String(bucketOf(at.getTime() - item.createdAt.getTime())), at),
    ...(memberId === null ? [] : [{ ...one('reviewer', memberId, at), part }]),
  ];
}

/** What is counted of the action that a person took. */
function outcomeOf(event: Pick<OfItem, 'item' | 'at' | 'action'>): Increment[] {
  const { item, at, action } = event;
  const part = isOverride(action) && item.hasSuggestion ? 1 : 0;
  return [
    { ...one(item.audit ? 'verdict' : 'decided', String(action), at), part: item.hasSuggestion ? 0 : 1 },
    ...(item.audit ? [] : groupsOf(item).map(([measure, key]) => ({ ...one(measure, key, at), part }))),
    ...binIncrements(event),
  ];
}

/**
 * RV7: the newest action counts where the first one did, at its time; the review and its reviewer stay counted as they were. What no
 * person had decided stays uncounted: only wrong answers among them are revised, which says nothing about the others.
 */
function revises({ item, status, action, before, was }: OfItem): Increment[] {
  if (was === null) return [];
  const moved = [negated(one('status', was.status, item.createdAt)), one('status', status, item.createdAt)];
  // Nor had they judged an audit that was ended without an answer (RV4).
  if (before === null || before.action === null || (item.audit && !isJudging(before.action))) return moved;
  const { at } = before;
  return [...moved, ...outcomeOf({ item, at, action: was.action }).map(negated), ...outcomeOf({ item, at, action })];
}

/** It leaves the queue undecided, and counts for no reviewer. */
function leaves(event: OfItem): Increment[] {
  const { before, at, status } = event;
  return [...moves(event), ...(before !== null && isOpen(before.status) ? [one('left', status, at)] : [])];
}

/** WD3. In the minute in which it began to wait, it counts as if it had never come to people. */
function withdraws(event: OfItem): Increment[] {
  const { before, waitedFrom } = event;
  const waited = before !== null && isOpen(before.status) && waitedFrom !== null;
  return [...leaves(event), ...(waited ? [one('withdrawn', before.status, waitedFrom)] : [])];
}

/** DL1: it leaves the queue undecided. */
function expires(event: OfItem): Increment[] {
  const { item, at, status } = event;
  if (item.audit) return leaves(event);
  const groups = groupsOf(item).flatMap(([measure, key]) =>
    measure === 'source' ? [] : [one(`expired_${measure}`, key, at)],
  );
  return [...moves(event), one('expired', status, at), ...groups];
}

function groupsOf({ riskFlags, model, source }: CountedItem): (readonly ['flag' | 'model' | 'source', string])[] {
  const flags = riskFlags.length === 0 ? [null] : [...new Set(riskFlags)];
  return [
    ...flags.map((flag) => ['flag', keyOfName('flag', flag)] as const),
    ['model', keyOfName('model', model)] as const,
    ['source', keyOfName('source', source)] as const,
  ];
}

/** Finalizing an item does not judge its suggestion, and neither does any decision where there is none. */
function binIncrements({ item, at, action }: Pick<OfItem, 'item' | 'at' | 'action'>): Increment[] {
  const judges = action === null || action === 'auto_approve' ? null : ACTIONS[action].judges;
  if (judges === null || !item.hasSuggestion) return [];
  const total = Math.round(item.confidence * MILLION);
  const bin = Math.min(CONFIDENCE_BINS - 1, Math.floor((total * CONFIDENCE_BINS) / MILLION));
  return [{ ...one(item.audit ? 'verdict_bin' : 'bin', String(bin), at), part: judges === 'right' ? 1 : 0, total }];
}

/** Subtracts the decision. */
function undoes(event: OfItem): Increment[] {
  const { before, status } = event;
  if (before === null) return [];
  return decides({ ...event, ...before, before: { ...before, status } }).map(negated);
}

function claims({ item, at, memberId, first }: CountedEvent): Increment[] {
  if (item === null) return [];
  const waited = one('claim_time', String(bucketOf(at.getTime() - item.createdAt.getTime())), at);
  return [...(first ? [waited] : []), ...(memberId === null ? [] : [one('claimer', memberId, at)])];
}

function delivers({ at, delivery, first, resent }: CountedEvent): Increment[] {
  if (resent !== null) return [one('resent', resent.outcome, resent.endedAt)];
  if (delivery === null) return [];
  const took = one('deliver_time', String(bucketOf(at.getTime() - delivery.createdAt.getTime())), at);
  return [one('delivery', delivery.outcome, at), ...(first && delivery.outcome === 'succeeded' ? [took] : [])];
}
