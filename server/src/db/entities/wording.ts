// A reason as people gave it, once per project, and the cluster it stands in (CT1).
import { defineEntity, p } from '@mikro-orm/core';
import { Cluster } from './cluster.ts';
import { Project } from './project.ts';

const WordingSchema = defineEntity({
  name: 'Wording',
  tableName: 'wording',
  properties: {
    id: p.uuid().primary(),
    projectId: () => p.manyToOne(Project).mapToPk().fieldName('project_id'),
    clusterId: () => p.manyToOne(Cluster).mapToPk().fieldName('cluster_id'),
    reason: p.text(),
    /** What closeness is measured on: see `domain/wording.ts`. */
    key: p.text(),
    /** A supervisor put it there. */
    placedByHand: p.boolean(),
    createdAt: p.datetime(3),
  },
  indexes: [
    { name: 'wording_of_cluster', properties: ['clusterId'] },
    { name: 'wording_close', expression: 'create index "wording_close" on "wording" using gin ("key" gin_trgm_ops)' },
  ],
  uniques: [{ name: 'wording_of_reason', properties: ['projectId', 'reason'] }],
});
export class Wording extends WordingSchema.class {}
WordingSchema.setClass(Wording);
