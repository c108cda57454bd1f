// A cluster of reasons with the same meaning; a merged one belongs to its target until the merge is undone (CT3).
import { defineEntity, p } from '@mikro-orm/core';
import { Project } from './project.ts';

const ClusterSchema = defineEntity({
  name: 'Cluster',
  tableName: 'cluster',
  properties: {
    id: p.uuid().primary(),
    projectId: () => p.manyToOne(Project).mapToPk().fieldName('project_id'),
    /** The name that a supervisor chose; null for one that is named after its most typical reason. */
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
/** A merged cluster keeps all its own data, so that the merge can be undone. */
export class Cluster extends ClusterSchema.class {}
ClusterSchema.setClass(Cluster);
