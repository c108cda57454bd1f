// The one decision of an item (I1), provisional until `finalAt`, with the verdict on an audited one.
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
  },
  uniques: [{ name: 'decision_of_item', properties: ['itemId', 'audit'] }],
  indexes: [
    {
      name: 'decision_provisional',
      expression: `create index "decision_provisional" on "decision" ("undo_until") where "final_at" is null`,
    },
    { name: 'decision_by_time', properties: ['projectId', 'decidedAt'] },
    {
      name: 'decision_by_people',
      expression: `create index "decision_by_people" on "decision" ("project_id", "decided_at") include ("action") where "reviewer_id" is not null`,
    },
    {
      name: 'decision_of_person',
      expression: `create index "decision_of_person" on "decision" ("reviewer_id", "decided_at") include ("action") where "reviewer_id" is not null`,
    },
  ],
});
/** An undo deletes the row; the event log retains the history. */
export class Decision extends DecisionSchema.class {}
DecisionSchema.setClass(Decision);
