// The enums of the product (docs/GLOSSARY.md): statuses, actions, roles, policies.
import { REVIEWER_DECISIONS } from './review-actions.ts';

export const ITEM_STATUSES = [
  'auto_approved',
  'queued',
  'escalated',
  'rejected',
  'approved',
  'escalated_final',
  'withdrawn',
  'expired',
] as const;
export type ItemStatus = (typeof ITEM_STATUSES)[number];

/** What a suggestion is: an answer of any shape, or a call of a tool, which people may let happen. */
export const ITEM_KINDS = ['answer', 'tool_call'] as const;
export type ItemKind = (typeof ITEM_KINDS)[number];

/** Statuses in which an item waits for review. */
export const OPEN_STATUSES = ['queued', 'escalated'] as const;
export type OpenStatus = (typeof OPEN_STATUSES)[number];

/** The actions that produce a decision (the others move the item between reviewers). */
export const DECISION_ACTIONS = /* @__PURE__ */ (['auto_approve' as const, REVIEWER_DECISIONS] as const).flat();
export type DecisionAction = (typeof DECISION_ACTIONS)[number];

export const DECISION_STATUSES = ['approved', 'rejected', 'escalated_final'] as const;
export type DecisionStatus = (typeof DECISION_STATUSES)[number];

/** What an API key may do (K8). */
export const SCOPES = ['submit', 'read'] as const;
export type Scope = (typeof SCOPES)[number];

/** From the lowest to the highest. */
export const ROLES = ['reviewer', 'supervisor', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** Whether `role` permits less than `other`. */
export const isLowerRole = (role: Role, other: Role): boolean => ROLES.indexOf(role) < ROLES.indexOf(other);

export const BELOW_REVIEW = ['reject', 'queue', 'escalate'] as const;
export type BelowReview = (typeof BELOW_REVIEW)[number];

/** Sample data of the demo in a project: it is being made, or complete (SA1). */
export const SAMPLES = ['making', 'ready'] as const;
export type Samples = (typeof SAMPLES)[number];

/** The reaction when the error rate of automatic decisions exceeds its budget (rule AU5). */
export const OVER_BUDGET = ['tell', 'raise'] as const;

/** How a value of an item is shown; projects fix it by pointer where the rules choose another one (ST2). */
export const CONTENT_KINDS = [
  ...(['text', 'markdown', 'code', 'diff', 'json', 'table', 'tree', 'chat', 'tool_call'] as const),
  ...(['cited', 'html', 'math', 'image', 'audio', 'video', 'pdf'] as const),
] as const;
export type ContentKind = (typeof CONTENT_KINDS)[number];

/** How pictures of items with a sensitive flag start (ST3). */
export const SENSITIVE_PICTURES = ['grey', 'blur'] as const;

/** What happens at the deadline of an item that nobody decided (DL1). Time approves nothing (DL2). */
export const ON_DEADLINE = ['expire', 'escalate', 'reject'] as const;
export type OnDeadline = (typeof ON_DEADLINE)[number];

export const ROUTING_RULES = ['RT1', 'RT2', 'RT3', 'RT4', 'RT7', 'RT8'] as const;
export type RoutingRule = (typeof ROUTING_RULES)[number];

/** How a new suggestion compares with a learning (rule RS1). */
export const OUTCOMES = ['still_fails', 'differs', 'fixed'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/**
 * The events that webhook and feed carry, of which a project chooses (WE1). What documents, shows or filters them has a table over
 * these names.
 */
export const DELIVERED_EVENTS = ['item.decided', 'item.expired', 'item.withdrawn', 'decision.revised'] as const;
export type DeliveredEvent = (typeof DELIVERED_EVENTS)[number];

/** Where reminders go (NO). */
export const NOTIFICATION_KINDS = ['slack', 'teams', 'webhook'] as const;
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];
export const NOTIFICATION_STATUSES = ['pending', 'sending', 'succeeded', 'dead'] as const;
/** The error of a message that was not delivered before a newer one replaced it (NO5). */
export const REPLACED = 'replaced';

export const DELIVERY_STATUSES = ['pending', 'sending', 'succeeded', 'dead', 'paused', 'cancelled'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/**
 * What the delivery log can be filtered by: a status, or `failed`: the last attempt failed, whether another one follows
 * (then it is pending) or not (then it is dead).
 */
export const DELIVERY_STATES = [...DELIVERY_STATUSES, 'failed'] as const;

/** Webhook alerts for owners (rule WH6): a delivery failed for good, the webhook is paused, it works again. */
export const WEBHOOK_ALERT_KINDS = ['exhausted', 'paused', 'recovered'] as const;
export type WebhookAlertKind = (typeof WEBHOOK_ALERT_KINDS)[number];

/**
 * Alerts about automatic decisions (rule AU5): more may be wrong than the budget allows; the threshold was raised
 * because of it.
 */
export const BUDGET_ALERT_KINDS = ['over_budget', 'threshold_raised'] as const;
export type BudgetAlertKind = (typeof BUDGET_ALERT_KINDS)[number];

export const ALERT_KINDS = /* @__PURE__ */ ([WEBHOOK_ALERT_KINDS, BUDGET_ALERT_KINDS] as const).flat();

/** What a member may do, per object: the keys of every `abilities` map (rule PM). */
export const ABILITIES = [
  'claim',
  'decide',
  'undo',
  'take_over',
  'bulk_claim',
  'reopen',
  'revise',
  'extend_deadline',
  'answer_mistakes',
  'see_analytics',
  'see_learnings',
  'see_deliveries',
  'stop_project',
  'change_settings',
  'manage_keys',
  'manage_webhook',
  'manage_members',
  'manage_project',
] as const;
export type Ability = (typeof ABILITIES)[number];

export type Abilities = Record<Ability, boolean>;

/** The kind of object that was changed: the first word of its action. */
export const CHANGE_KINDS = [
  'project',
  'settings',
  'member',
  'invite',
  'offer',
  'key',
  'source',
  'webhook',
  'cluster',
  'learning',
  'mistake',
] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** Every change that an owner, a supervisor, or a joining or leaving member can make to a project. */
export const CHANGE_ACTIONS = [
  'project.created',
  'project.archived',
  'project.restored',
  'project.deleted',
  'project.stopped',
  'project.released',
  'project.samples_removed',
  'settings.changed',
  'member.joined',
  'member.changed',
  'member.left',
  'member.blocked',
  'member.unblocked',
  'invite.made',
  'invite.revoked',
  'offer.made',
  'offer.revoked',
  'offer.declined',
  'key.made',
  'key.revoked',
  'source.made',
  'source.removed',
  'webhook.endpoint_made',
  'webhook.endpoint_changed',
  'webhook.endpoint_removed',
  'webhook.secret_made',
  'webhook.secret_promoted',
  'webhook.tested',
  'webhook.resumed',
  'webhook.resent',
  'webhook.notifications_changed',
  'webhook.notification_tested',
  'cluster.renamed',
  'cluster.merged',
  'cluster.split',
  'cluster.restored',
  'learning.excluded',
  'learning.included',
  'mistake.reported',
  'mistake.overturned',
  'mistake.upheld',
] as const satisfies readonly `${ChangeKind}.${string}`[];
export type ChangeAction = (typeof CHANGE_ACTIONS)[number];

/** Statuses in which a delivery can be sent again. */
export const REPLAYABLE = ['succeeded', 'dead'] as const;

/** Statuses of the deliveries that a replay of many sends: ended ones again, `pending` ones now instead of later (WH8). */
export const REPLAYED_STATUSES = [...REPLAYABLE, 'pending'] as const;

export const REPLAY_STATES = ['running', 'done', 'cancelled'] as const;

/**
 * `raw`: all fields; `chat`: fine-tuning messages; `preference`: the edit preferred over the suggestion; `eval`:
 * evaluation cases.
 */
export const EXPORT_FORMATS = ['raw', 'chat', 'preference', 'eval'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const QUEUE_VIEWS = ['available', 'mine', 'escalated', 'all'] as const;
export type QueueView = (typeof QUEUE_VIEWS)[number];

/** States that cases can be filtered by. */
export const CASE_STATES = [...OUTCOMES, 'unanswered'] as const;
export type CaseState = (typeof CASE_STATES)[number];

export const DRAIN_STATES = ['empty', 'draining', 'standing', 'growing', 'too_few'] as const;

/** How items reached their status. Reviewers treat each kind differently, so kinds are never pooled. `needs_person`: only a person may decide it (RT8). */
export const SAMPLE_KINDS = ['queued', 'escalated', 'automatic', 'refused', 'needs_person'] as const;

/** States that reported mistakes can be filtered by. */
export const MISTAKE_STATES = ['open', 'answered'] as const;
