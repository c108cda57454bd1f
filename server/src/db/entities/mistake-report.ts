// A reported mistake in the final decision of an item (MR), and its answer.
import { defineEntity, p } from '@mikro-orm/core';
import { Decision } from './decision.ts';
import { Project } from './project.ts';

const MistakeReportSchema = defineEntity({
  name: 'MistakeReport',
  tableName: 'mistake_report',
  properties: {
    itemId: p.uuid().primary(),
    projectId: () => p.manyToOne(Project).mapToPk().fieldName('project_id'),
    decisionId: () => p.manyToOne(Decision).mapToPk().fieldName('decision_id').deleteRule('cascade'),
    /** Who made the decision. */
    decidedBy: p.uuid(),
    reportedBy: p.uuid(),
    note: p.text().nullable(),
    reportedAt: p.datetime(3),
    /** Null until the report is answered. */
    overturned: p.boolean().nullable(),
    answeredBy: p.uuid().nullable(),
    answeredAt: p.datetime(3).nullable(),
  },
  uniques: [{ name: 'mistake_report_of_decision', properties: ['decisionId'] }],
  indexes: [
    { name: 'mistake_report_newest', properties: ['projectId', 'reportedAt', 'itemId'] },
    {
      name: 'mistake_report_overturned_newest',
      expression: `create index "mistake_report_overturned_newest" on "mistake_report" ("decided_by", "reported_at") where "overturned"`,
    },
  ],
});
export class MistakeReport extends MistakeReportSchema.class {}
MistakeReportSchema.setClass(MistakeReport);
