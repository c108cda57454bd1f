// A regression run: which learnings a pipeline is to answer anew, and who began it (rule RS).
import { defineEntity, p } from '@mikro-orm/core';
import type { LearningFilter } from '@countersign/shared/filters/learning-filter';
import { Cluster } from './cluster.ts';
import { Project } from './project.ts';

const RegressionSchema = defineEntity({
  name: 'Regression',
  tableName: 'regression',
  properties: {
    id: p.uuid().primary(),
    projectId: () => p.manyToOne(Project).mapToPk().fieldName('project_id'),
    /** Null of one that goes over all of them. */
    clusterId: () => p.manyToOne(Cluster).mapToPk().fieldName('cluster_id').nullable().deleteRule('set null'),
    title: p.text().nullable(),
    /** What it goes over of them; null of one from before this was kept. */
    filter: p.json<Omit<LearningFilter, 'excluded'>>().nullable(),
    /** The idempotency key of whoever began it; null of one that came without. */
    requestKey: p.text().nullable(),
    /** A member, or the key of a pipeline, as it was called then. */
    startedByName: p.text(),
    createdAt: p.datetime(3),
  },
  indexes: [{ name: 'regression_newest', properties: ['projectId', 'createdAt'] }],
  uniques: [{ name: 'regression_request_key', properties: ['projectId', 'requestKey'] }],
});
export class Regression extends RegressionSchema.class {}
RegressionSchema.setClass(Regression);
