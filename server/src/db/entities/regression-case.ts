// A learning in a regression run, with its last answer. Deleted with its learning when the decision is undone.
import { defineEntity, p } from '@mikro-orm/core';
import { ITEM_STATUSES, OUTCOMES } from '@countersign/shared/enums';
import { Learning } from './learning.ts';
import { Project } from './project.ts';
import { Regression } from './regression.ts';
import { TextArray } from './text-array.ts';

const RegressionCaseSchema = defineEntity({
  name: 'RegressionCase',
  tableName: 'regression_case',
  properties: {
    regressionId: () => p.manyToOne(Regression).mapToPk().fieldName('regression_id').primary(),
    learningId: () => p.manyToOne(Learning).mapToPk().fieldName('learning_id').primary(),
    projectId: () => p.manyToOne(Project).mapToPk().fieldName('project_id'),
    /** From 1, newest first. */
    place: p.integer(),
    /** The new suggestion as sent, JSON text; null before it arrives, like the columns that follow. */
    suggestion: p.text().nullable(),
    confidence: p.double().$type<number>().nullable(),
    riskFlags: p.type(TextArray).$type<string[]>().nullable(),
    outcome: p.enum(OUTCOMES).nullable(),
    /** Why it does not satisfy its item, as JSON text; null where it does. */
    faults: p.text().nullable(),
    /** The status that routing would assign at that time. */
    status: p.enum(ITEM_STATUSES).nullable(),
    answeredByName: p.text().nullable(),
    answeredAt: p.datetime(3).nullable(),
  },
  indexes: [
    { name: 'regression_case_of_learning', properties: ['learningId'] },
    { name: 'regression_case_of_project', properties: ['projectId'] },
  ],
  uniques: [{ name: 'regression_case_place', properties: ['regressionId', 'place'] }],
});
export class RegressionCase extends RegressionCaseSchema.class {}
RegressionCaseSchema.setClass(RegressionCase);
