// A recorded override: written in the transaction of the decision, deleted by its undo.
import { defineEntity, p } from '@mikro-orm/core';
import { Decision } from './decision.ts';
import { Item } from './item.ts';
import { Project } from './project.ts';
import { User } from './user.ts';
import { OVERRIDE_ACTIONS } from '@countersign/shared/review-actions';

const LearningSchema = defineEntity({
  name: 'Learning',
  tableName: 'learning',
  properties: {
    id: p.uuid().primary(),
    projectId: () => p.manyToOne(Project).mapToPk().fieldName('project_id'),
    itemId: () => p.manyToOne(Item).mapToPk().fieldName('item_id'),
    decisionId: () => p.manyToOne(Decision).mapToPk().fieldName('decision_id').unique().deleteRule('cascade'),
    action: p.enum(OVERRIDE_ACTIONS),
    output: p.text().nullable(),
    /** Empty without a reason, which only a written answer and a response may lack: it is in no cluster. */
    reason: p.text(),
    note: p.text().nullable(),
    response: p.text().nullable(),
    reviewerId: () => p.manyToOne(User).mapToPk().fieldName('reviewer_id'),
    settingsVersion: p.integer(),
    /** The settings version of the guidelines at that time; null for rows of an older version of the service. */
    guidelinesVersion: p.integer().nullable(),
    /** The current state. An export reads the state at its cut-off from the event log (LX5). */
    excluded: p.boolean().default(false),
    /** That of its decision (RV1). */
    revision: p.integer().default(1),
    /** A revision replaced its decision: only exports up to an earlier position have it (RV5). */
    superseded: p.boolean().default(false),
    createdAt: p.datetime(3),
  },
  indexes: [
    { name: 'learning_of_item', properties: ['itemId'] },
    { name: 'learning_of_reason', properties: ['projectId', 'reason'] },
    { name: 'learning_newest', properties: ['projectId', 'createdAt', 'id'] },
  ],
});
export class Learning extends LearningSchema.class {}
LearningSchema.setClass(Learning);
