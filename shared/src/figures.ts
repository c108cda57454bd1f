// What the figures of a project mean, each defined once for server, API and pages: waiting, pace, automatic, health.

/** Items that wait for a person, by status. */
interface Waiting {
  queued: number;
  escalated: number;
}

/** AN35: every item that waits for a person, claimed or not, drawn for an audit or not. */
export const waitingOf = ({ queued, escalated }: Waiting): number => queued + escalated;

/** The share of its time after which an item that waits is due soon (LC3). */
export const DUE_SOON = 0.85;

/** Items that came to people in a period (AN1), and people's decisions in it. */
export interface Flow {
  enqueued: number;
  decided: number;
}

/** AN33: how many more came to people in a period than they decided; negative where they decided more. */
export const growthOf = ({ enqueued, decided }: Flow): number => enqueued - decided;

/** AN33: whether people fell behind in a period: more came to them than they decided. */
export const isBehind = (flow: Flow): boolean => growthOf(flow) > 0;

/** AN33: how people keep up in a period. `idle`: nothing waits, came or was decided. */
export type Pace = 'idle' | 'clear' | 'behind' | 'ahead' | 'even';

/** AN33: arrivals against decisions say whether people keep up; `waiting` items do not, and neither do due times. */
export function paceOf(waiting: number, flow: Flow): Pace {
  if (isBehind(flow)) return 'behind';
  if (waiting === 0) return flow.enqueued + flow.decided === 0 ? 'idle' : 'clear';
  return growthOf(flow) < 0 ? 'ahead' : 'even';
}

/** Arrivals of a period that routing approved, by what became of them. */
export interface Automatic {
  /** All that were approved without a person: shipped, audited or not. */
  approved: number;
  /** Those of them that still wait for the verdict of an audit (AU1). */
  inAudit: number;
  /** Those of them whose approval a person replaced (RV4). */
  revised: number;
}

interface Arrivals {
  /** By the status that routing gave. */
  routing: { auto_approved: number };
  /** By present status, where an unsettled audit counts as auto-approved (AN34). */
  mix: { auto_approved?: number };
  audits: { waiting: number };
}

/** AN34: what was automatic among the arrivals of a period. */
export function automaticOf({ routing, mix, audits }: Arrivals): Automatic {
  const approved = routing.auto_approved;
  return { approved, inAudit: audits.waiting, revised: Math.max(0, approved - (mix.auto_approved ?? 0)) };
}

/** AN34: what routing decided of the arrivals of a period. `audited`: approved ones that were drawn for an audit. */
export interface RoutedAlone {
  approved: number;
  rejected: number;
  audited: number;
}

/** RT7: how many of them a stop would have sent to people; audits were sent to them anyway. */
export const stopWouldAdd = ({ approved, rejected, audited }: RoutedAlone): number => approved - audited + rejected;

/** WH10: the states of a webhook. */
export const WEBHOOK_HEALTH = ['not_set', 'waiting', 'healthy', 'retrying', 'failing', 'paused'] as const;
export type WebhookHealth = (typeof WEBHOOK_HEALTH)[number];

interface WebhookFacts {
  /** It has a URL. */
  set: boolean;
  paused: boolean;
  /** Whether the newest delivery with a known result arrived; null where none has one. */
  newestArrived: boolean | null;
  /** Deliveries that wait after their second failed attempt. */
  retrying: number;
}

/** WH10: a webhook is healthy only while nothing is being retried. */
export function webhookHealthOf({ set, paused, newestArrived, retrying }: WebhookFacts): WebhookHealth {
  if (!set) return 'not_set';
  if (paused) return 'paused';
  if (newestArrived === false) return 'failing';
  if (retrying > 0) return 'retrying';
  return newestArrived === null ? 'waiting' : 'healthy';
}

/** WH10: the share of ended deliveries that arrived, 0..1; null where none ended. Attempts are not deliveries. */
export function arrivedShare({ succeeded, dead }: { succeeded: number; dead: number }): number | null {
  const ended = succeeded + dead;
  return ended === 0 ? null : succeeded / ended;
}
