// What one fact of the ledger adds to the figures of its project: the whole rule of the rollups (AN1 to AN5), without a database.
import type { DecisionAction, DeliveryStatus, ItemStatus } from '@countersign/shared/enums';
import type { DomainEventType } from '@countersign/shared/events';
import { bucketOf } from './histogram.ts';
import { isOpen } from '../items/item.ts';
import { keyOfName } from './rollup-names.ts';

/** What is counted, and what its rows are told apart by. `part` and `total` are 0 unless they are named. */
export const MEASURES = {
  /** Items, at their arrival; by where routing sent them. */
  arrived: 'first status',
  /** Items, at their arrival; by where they are now. */
  status: 'status',
  /** What came to wait less what left; by status. Added up from the beginning it is how many wait. */
  waiting: 'open status',
  /** Time from arrival to the first claim, in ms. */
  claim_time: 'bucket',
  /** Time from arrival to a person's decision or verdict, in ms. */
  decide_time: 'bucket',
  /** People's decisions; verdicts are counted apart, here and below. */
  decided: 'action',
  verdict: 'action',
  /** People's decisions; part: overrides. */
  flag: 'flag',
  model: 'model',
  source: 'source',
  /** People's decisions of a suggestion by its confidence; part: kept as suggested; total: the sum of confidences, in millionths. */
  bin: 'bin',
  verdict_bin: 'bin',
  /** Decisions and verdicts of one person; part: overrides. */
  reviewer: 'user id',
  /** Moves between people by one person. */
  mover: 'user id',
  /** Claims of one person. */
  claimer: 'user id',
  /** Attempts that ended; by what came of them. */
  delivery: 'outcome',
  /** Time from a delivery's making to its first success, in ms. */
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

/** What is counted of an item; none of it changes once it has arrived. */
export interface CountedItem {
  createdAt: Date;
  confidence: number;
  riskFlags: readonly string[];
  model: string | null;
  source: string | null;
  /** Drawn for an audit (AU1). */
  audit: boolean;
}

/** Where a fact left its item. */
export interface ItemSnapshot {
  at: Date;
  status: ItemStatus;
  action: DecisionAction | null;
  /** The member who did it; null for everybody else. */
  memberId: string | null;
}

/** A fact of the ledger with what is needed to count it. */
export interface CountedEvent {
  type: DomainEventType;
  at: Date;
  memberId: string | null;
  /** Of the item, after the fact; 1 is its arrival. */
  version: number;
  /** Null where the fact moves no item. */
  status: ItemStatus | null;
  action: DecisionAction | null;
  item: CountedItem | null;
  /** Where the item stood before. */
  before: ItemSnapshot | null;
  /** Of a claim: the item had none before. Of a delivery: it had not come to an end before. */
  first: boolean;
  /** `failed`: an attempt that is followed by another. Null of any other fact, and of a delivery nobody tried. */
  delivery: { outcome: DeliveryOutcome; createdAt: Date } | null;
}

export const DELIVERY_OUTCOMES = ['succeeded', 'failed', 'dead', 'paused'] as const satisfies (
  DeliveryStatus | 'failed'
)[];
export type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number];

/** Bins of confidence between 0 and 1; each begins at its lower end, the last one holds 1 as well. */
export const CONFIDENCE_BINS = 20;
/** Confidences are added up as whole numbers, so that a sum is the same in whatever order: exact to the sixth decimal. */
export const MILLION = 1_000_000;

type OfItem = CountedEvent & { item: CountedItem; status: ItemStatus };

const COUNTS = {
  'item.queued': ofItem(waits),
  'item.escalated': ofItem(waits),
  'item.decided': ofItem(decides),
  'item.undone': ofItem(undoes),
  // A decision counts when it is made (AN2): what its undo window adds is nothing new.
  'item.finalized': ofItem((event) => (event.version === 1 ? arrives(event) : [])),
  'item.claimed': claims,
  'claim.released': () => [],
  'claim.expired': () => [],
  'delivery.changed': delivers,
  'project.changed': () => [],
} as const satisfies Record<DomainEventType, (event: CountedEvent) => Increment[]>;

/** What the fact adds; an undo takes away what its decision added, in that decision's minute. */
export const incrementsOf = (event: CountedEvent): Increment[] => COUNTS[event.type](event);

/** A fact whose item is not there any more counts nothing: its project is on its way out (AR2). */
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

/** AN1. What is drawn for an audit was approved, and waits. */
function arrives({ item, status }: OfItem): Increment[] {
  const at = item.createdAt;
  return [
    one('arrived', item.audit ? 'auto_approved' : status, at),
    one('status', status, at),
    ...(isOpen(status) ? [one('waiting', status, at)] : []),
  ];
}

/** An item goes from one status to another: in its cohort, and in or out of the queue. */
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
  const part = action === 'edit' || action === 'reject' ? 1 : 0;
  return [
    ...moves(event),
    one(item.audit ? 'verdict' : 'decided', String(action), at),
    one('decide_time', String(bucketOf(at.getTime() - item.createdAt.getTime())), at),
    ...(item.audit ? [] : groupsOf(item).map(([measure, key]) => ({ ...one(measure, key, at), part }))),
    ...binIncrements(event),
    ...(memberId === null ? [] : [{ ...one('reviewer', memberId, at), part }]),
  ];
}

function groupsOf({ riskFlags, model, source }: CountedItem): (readonly [Measure, string])[] {
  const flags = riskFlags.length === 0 ? [null] : [...new Set(riskFlags)];
  return [
    ...flags.map((flag) => ['flag', keyOfName('flag', flag)] as const),
    ['model', keyOfName('model', model)] as const,
    ['source', keyOfName('source', source)] as const,
  ];
}

/** Who ends an item without an answer says nothing of its suggestion. */
function binIncrements({ item, at, action }: OfItem): Increment[] {
  if (action !== 'approve' && action !== 'edit' && action !== 'reject') return [];
  const total = Math.round(item.confidence * MILLION);
  const bin = Math.min(CONFIDENCE_BINS - 1, Math.floor((total * CONFIDENCE_BINS) / MILLION));
  return [{ ...one(item.audit ? 'verdict_bin' : 'bin', String(bin), at), part: action === 'approve' ? 1 : 0, total }];
}

/** The decision as if it had never been made. */
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

function delivers({ at, delivery, first }: CountedEvent): Increment[] {
  if (delivery === null) return [];
  const took = one('deliver_time', String(bucketOf(at.getTime() - delivery.createdAt.getTime())), at);
  return [one('delivery', delivery.outcome, at), ...(first && delivery.outcome === 'succeeded' ? [took] : [])];
}
