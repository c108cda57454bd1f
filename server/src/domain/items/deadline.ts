// Rule DL: which deadline an item has, what happens at it, and when it can be extended. Time approves nothing (DL2).
import type { ItemStatus, OnDeadline, OpenStatus } from '@countersign/shared/enums';
import { LIMITS } from '@countersign/shared/limits';

/** What a submission says about its deadline. `until` null: it has none, even if its project has one. */
export interface AskedDeadline {
  until?: { at: Date } | { seconds: number } | null;
  onDeadline?: OnDeadline;
}

/** The settings of a project for items that say nothing (DL6). */
export interface DeadlineSettings {
  deadline_minutes: number | null;
  on_deadline: OnDeadline;
}

export interface NewDeadline {
  at: Date;
  onDeadline: OnDeadline;
  /** From its arrival to the deadline, in whole seconds, rounded up: an escalation gives the same span again. */
  spanSeconds: number;
}

const SECOND = 1000;

/** The deadline of an item that arrives `now`, by the clock of the database; null without one. */
export function newDeadline(asked: AskedDeadline, project: DeadlineSettings, now: Date): NewDeadline | null {
  const byProject = project.deadline_minutes === null ? null : { seconds: project.deadline_minutes * 60 };
  const until = asked.until === undefined ? byProject : asked.until;
  if (until === null) return null;
  const at = 'at' in until ? until.at : new Date(now.getTime() + until.seconds * SECOND);
  const spanSeconds = Math.max(1, Math.ceil((at.getTime() - now.getTime()) / SECOND));
  return { at, onDeadline: asked.onDeadline ?? project.on_deadline, spanSeconds };
}

/** Why an item cannot have this deadline, in one sentence; null when it can. */
export function deadlineFault(at: Date, now: Date): string | null {
  if (at <= now) return 'The deadline must be in the future.';
  const last = now.getTime() + LIMITS.deadlineSeconds.most * SECOND;
  return at.getTime() > last ? 'The deadline must be at most one year away.' : null;
}

interface DueItem {
  status: OpenStatus;
  /** Drawn for an audit: it was approved on its arrival, and stays so (AU2). */
  audit: boolean;
  onDeadline: OnDeadline;
}

/** `ended`: for good. `escalated`: supervisors have it now. `prolonged`: they had it already, and keep it. */
export interface Passing {
  step: 'ended' | 'escalated' | 'prolonged';
  status: ItemStatus;
}

/** DL1: what its deadline does to an open item without a decision. After an escalation the next deadline ends it. */
export function passingOf({ status, audit, onDeadline }: DueItem): Passing {
  if (onDeadline === 'escalate') return { step: status === 'queued' ? 'escalated' : 'prolonged', status: 'escalated' };
  if (audit) return { step: 'ended', status: 'auto_approved' };
  return { step: 'ended', status: onDeadline === 'reject' ? 'rejected' : 'expired' };
}

/** The deadline that supervisors get where it escalates: the span again, from now on; and then the item expires. */
export const nextDeadline = (now: Date, spanSeconds: number): Date => new Date(now.getTime() + spanSeconds * SECOND);

/** Whether its deadline was the last to end an item: a revision may have decided it since (RV1). */
export const isEndedByDeadline = ({ expiredAt, decidedAt }: { expiredAt?: Date | null; decidedAt?: Date | null }) =>
  Boolean(expiredAt) && expiredAt?.getTime() === decidedAt?.getTime();

/** DL5: whether a supervisor may still move this deadline. */
export const isExtendable = ({ deadline, deadlineExtended }: { deadline?: Date | null; deadlineExtended: boolean }) =>
  Boolean(deadline) && !deadlineExtended;
