// The enums of the product (docs/GLOSSARY.md): statuses, actions, roles, policies.
import { z } from 'zod';
import { OVERRIDE_ACTIONS, REVIEW_ACTIONS, REVIEWER_DECISIONS } from './review-actions.ts';

export const ITEM_STATUSES = [
  'auto_approved',
  'queued',
  'escalated',
  'rejected',
  'approved',
  'escalated_final',
] as const;
export const itemStatus = z.enum(ITEM_STATUSES).meta({ id: 'ItemStatus' });
export type ItemStatus = z.infer<typeof itemStatus>;

/** Statuses in which an item waits for review. */
export const OPEN_STATUSES = ['queued', 'escalated'] as const;
export type OpenStatus = (typeof OPEN_STATUSES)[number];

/** What a reviewer can do with an item they have claimed. */
export const reviewAction = z.enum(REVIEW_ACTIONS).meta({ id: 'ReviewAction' });

/** The actions that produce a decision (the others move the item between reviewers). */
export const DECISION_ACTIONS = /* @__PURE__ */ (['auto_approve' as const, REVIEWER_DECISIONS] as const).flat();
export const decisionAction = z.enum(DECISION_ACTIONS);
export type DecisionAction = z.infer<typeof decisionAction>;
export const reviewerDecision = z.enum(REVIEWER_DECISIONS);
/** The decisions that change or refuse the suggestion. */
export const overrideAction = z.enum(OVERRIDE_ACTIONS);

export const DECISION_STATUSES = ['approved', 'rejected', 'escalated_final'] as const;
export const decisionStatus = z.enum(DECISION_STATUSES);
export type DecisionStatus = z.infer<typeof decisionStatus>;

/** What an API key may do (K8). */
export const SCOPES = ['submit', 'read'] as const;
export type Scope = (typeof SCOPES)[number];

/** From the lowest to the highest. */
export const ROLES = ['reviewer', 'supervisor', 'owner'] as const;
export const role = z.enum(ROLES).meta({ id: 'Role' });
export type Role = z.infer<typeof role>;

/** Whether `role` permits less than `other`. */
export const isLowerRole = (role: Role, other: Role): boolean => ROLES.indexOf(role) < ROLES.indexOf(other);

export const BELOW_REVIEW = ['reject', 'queue', 'escalate'] as const;
export const belowReview = z.enum(BELOW_REVIEW);
export type BelowReview = z.infer<typeof belowReview>;

/** The reaction when the error rate of automatic decisions exceeds its budget (rule AU5). */
export const OVER_BUDGET = ['tell', 'raise'] as const;
export const overBudget = z.enum(OVER_BUDGET);
export type OverBudget = z.infer<typeof overBudget>;

/** How a value of an item is shown; projects fix it by pointer where the rules choose another one (ST2). */
export const CONTENT_KINDS = [
  ...(['text', 'markdown', 'code', 'diff', 'json', 'table', 'tree', 'chat', 'tool_call'] as const),
  ...(['cited', 'html', 'math', 'image', 'audio', 'video', 'pdf'] as const),
] as const;
export type ContentKind = (typeof CONTENT_KINDS)[number];

/** How pictures of items with a sensitive flag start (ST3). */
export const SENSITIVE_PICTURES = ['grey', 'blur'] as const;

export const ROUTING_RULES = ['RT1', 'RT2', 'RT3', 'RT4', 'RT7'] as const;
export const routingRule = z.enum(ROUTING_RULES);
export type RoutingRule = z.infer<typeof routingRule>;

/** How a new suggestion compares with a learning (rule RS1). */
export const OUTCOMES = ['still_fails', 'differs', 'fixed'] as const;
export const outcome = z.enum(OUTCOMES).meta({ id: 'Outcome' });
export type Outcome = z.infer<typeof outcome>;

export const DELIVERY_STATUSES = ['pending', 'sending', 'succeeded', 'dead', 'paused', 'cancelled'] as const;
export const deliveryStatus = z.enum(DELIVERY_STATUSES);
export type DeliveryStatus = z.infer<typeof deliveryStatus>;

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
export const alertKind = z.enum(ALERT_KINDS);
export type AlertKind = z.infer<typeof alertKind>;

/** What a member may do, per object: the keys of every `abilities` map (rule PM). */
export const ABILITIES = [
  'claim',
  'decide',
  'undo',
  'take_over',
  'bulk_claim',
  'reopen',
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

export const abilities = z.record(z.enum(ABILITIES), z.boolean()).meta({ id: 'Abilities' });
export type Abilities = z.infer<typeof abilities>;

/** The `abilities` of an object smaller than a project or an item: a map of these names, each always present. */
export const abilitiesTo = <const Name extends string>(...names: readonly [Name, ...Name[]]) =>
  z.record(z.enum(names), z.boolean());
