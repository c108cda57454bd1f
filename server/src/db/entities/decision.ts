// The decisions of an item (I1): the first, provisional until `finalAt`, its revisions, and the verdict of an audit.
import { defineEntity, p } from '@mikro-orm/core';
import { DECISION_ACTIONS, DECISION_STATUSES } from '@countersign/shared/enums';
import { Item } from './item.ts';
import { Project } from './project.ts';
import { User } from './user.ts';

const DecisionSchema = defineEntity({
  name: 'Decision',
  tableName: 'decision',
  properties: {
    id: p.uuid().primary(),
    itemId: () => p.manyToOne(Item).mapToPk().fieldName('item_id'),
    projectId: () => p.manyToOne(Project).mapToPk().fieldName('project_id'),
    /** A verdict on an automatic approval (AU2): it ships nothing. The approval itself is the decision of the item. */
    audit: p.boolean().default(false),
    status: p.enum(DECISION_STATUSES),
    action: p.enum(DECISION_ACTIONS),
    output: p.text().nullable(),
    edited: p.boolean(),
    reason: p.text().nullable(),
    note: p.text().nullable(),
    /** What was answered in words; null for any other action. */
    response: p.text().nullable(),
    reviewerId: () => p.manyToOne(User).mapToPk().fieldName('reviewer_id').nullable(),
    decidedAt: p.datetime(3),
    /** When the undo window ends (LC2); null for a decision that was final immediately. */
    undoUntil: p.datetime(3).nullable(),
    finalAt: p.datetime(3).nullable(),
    /** 1 for the first decision, then 2, 3 and so on (RV1). Routing's rejection has no decision and counts as the first. */
    revision: p.integer().default(1),
    /** The decision that this one revises; null for a first one, and for a revision of routing's rejection. */
    revises: p.uuid().nullable(),
    /** When a revision replaced it, as the decision or as the verdict of its item. */
    supersededAt: p.datetime(3).nullable(),
  },
  indexes: [
    {
      name: 'decision_of_chain',
      expression: 'create unique index "decision_of_chain" on "decision" ("item_id", "audit", "revision")',
    },
    {
      name: 'decision_revises',
      expression: 'create unique index "decision_revises" on "decision" ("revises") where "revises" is not null',
    },
    {
      name: 'decision_provisional',
      expression: `create index "decision_provisional" on "decision" ("undo_until") where "final_at" is null`,
    },
    { name: 'decision_by_time', properties: ['projectId', 'decidedAt'] },
    {
      name: 'decision_first_by_people',
      expression: `create index "decision_first_by_people" on "decision" ("project_id", "decided_at") include ("action") where "reviewer_id" is not null and "revision" = 1`,
    },
    {
      name: 'decision_first_of_person',
      expression: `create index "decision_first_of_person" on "decision" ("reviewer_id", "decided_at") include ("action") where "reviewer_id" is not null and "revision" = 1`,
    },
    {
      name: 'decision_verdict',
      expression: `create index "decision_verdict" on "decision" ("project_id", "decided_at") include ("action", "reviewer_id") where "audit"`,
    },
  ],
});
/** An undo deletes the row; the event log retains the history. */
export class Decision extends DecisionSchema.class {}
DecisionSchema.setClass(Decision);
