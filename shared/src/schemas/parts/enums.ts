// The schemas of the enums: what they may contain is in shared/src/enums.ts.
import { z } from 'zod';
import {
  ABILITIES,
  ALERT_KINDS,
  BELOW_REVIEW,
  DECISION_ACTIONS,
  DECISION_STATUSES,
  DELIVERY_STATUSES,
  ITEM_KINDS,
  ITEM_STATUSES,
  ON_DEADLINE,
  OUTCOMES,
  OVER_BUDGET,
  ROLES,
  ROUTING_RULES,
} from '../../enums.ts';
import { OVERRIDE_ACTIONS, REVIEW_ACTIONS, REVIEWER_DECISIONS, SUBMITTER_ACTIONS } from '../../review-actions.ts';

export const itemStatus = z.enum(ITEM_STATUSES).meta({ id: 'ItemStatus' });

export const itemKind = z.enum(ITEM_KINDS).meta({ id: 'ItemKind' });
/** What the submission lets reviewers do (LC7). */
export const submitterAction = z.enum(SUBMITTER_ACTIONS).meta({ id: 'SubmitterAction' });

/** What a reviewer can do with an item they have claimed. */
export const reviewAction = z.enum(REVIEW_ACTIONS).meta({ id: 'ReviewAction' });

export const decisionAction = z.enum(DECISION_ACTIONS);
export const reviewerDecision = z.enum(REVIEWER_DECISIONS);
/** The decisions that change or refuse the suggestion. */
export const overrideAction = z.enum(OVERRIDE_ACTIONS);

export const decisionStatus = z.enum(DECISION_STATUSES);
export const role = z.enum(ROLES).meta({ id: 'Role' });
export const onDeadline = z.enum(ON_DEADLINE);
export const belowReview = z.enum(BELOW_REVIEW);
export const overBudget = z.enum(OVER_BUDGET);
export const routingRule = z.enum(ROUTING_RULES);
export const outcome = z.enum(OUTCOMES).meta({ id: 'Outcome' });
export const deliveryStatus = z.enum(DELIVERY_STATUSES);
export const alertKind = z.enum(ALERT_KINDS);

export const abilities = z.record(z.enum(ABILITIES), z.boolean()).meta({ id: 'Abilities' });

/** The `abilities` of an object smaller than a project or an item: a map of these names, each always present. */
export const abilitiesTo = <const Name extends string>(...names: readonly [Name, ...Name[]]) =>
  z.record(z.enum(names), z.boolean());
