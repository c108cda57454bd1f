// Reasons that mean the same. A merged one stands in the other, with all that is its own, until the merge is taken back (CT3).
import { defineEntity, p } from '@mikro-orm/core';
import { Project } from './project.ts';

const ClusterSchema = defineEntity({
  name: 'Cluster',
  tableName: 'cluster',
  properties: {
    id: p.uuid().primary(),
    projectId: () => p.manyToOne(Project).mapToPk().fieldName('project_id'),
    /** As a supervisor called it; null for one that is called after its most typical reason. */
    name: p.text().nullable(),
    mergedInto: () => p.manyToOne(Cluster).mapToPk().fieldName('merged_into').nullable(),
    createdAt: p.datetime(3),
  },
  indexes: [
    { name: 'cluster_of_project', properties: ['projectId'] },
    {
      name: 'cluster_merged',
      expression: 'create index "cluster_merged" on "cluster" ("merged_into") where "merged_into" is not null',
    },
  ],
});
export class Cluster extends ClusterSchema.class {}
ClusterSchema.setClass(Cluster);
