// A regression run: the learnings that a pipeline answers again, and who started it (rule RS).
import { defineEntity, p } from '@mikro-orm/core';
import type { LearningFilter } from '@countersign/shared/schemas/parts/learning-filter';
import { Cluster } from './cluster.ts';
import { Project } from './project.ts';

const RegressionSchema = defineEntity({
  name: 'Regression',
  tableName: 'regression',
  properties: {
    id: p.uuid().primary(),
    projectId: () => p.manyToOne(Project).mapToPk().fieldName('project_id'),
    /** Null when it covers all clusters. */
    clusterId: () => p.manyToOne(Cluster).mapToPk().fieldName('cluster_id').nullable().deleteRule('set null'),
    title: p.text().nullable(),
    /** Which of its learnings it covers; null for rows from before this was recorded. */
    filter: p.json<Omit<LearningFilter, 'excluded'>>().nullable(),
    /** The idempotency key of the request; null without one. */
    requestKey: p.text().nullable(),
    /** A member or an API key, by its name at that time. */
    startedByName: p.text(),
    createdAt: p.datetime(3),
  },
  indexes: [{ name: 'regression_newest', properties: ['projectId', 'createdAt'] }],
  uniques: [{ name: 'regression_request_key', properties: ['projectId', 'requestKey'] }],
});
export class Regression extends RegressionSchema.class {}
RegressionSchema.setClass(Regression);
