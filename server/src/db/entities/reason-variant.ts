// A variant of a reason as entered, once per project, and its cluster (CT1).
import { defineEntity, p } from '@mikro-orm/core';
import { Cluster } from './cluster.ts';
import { Project } from './project.ts';

const ReasonVariantSchema = defineEntity({
  name: 'ReasonVariant',
  tableName: 'wording',
  properties: {
    id: p.uuid().primary(),
    projectId: () => p.manyToOne(Project).mapToPk().fieldName('project_id'),
    /** Null until a worker has assigned one (CT4). */
    clusterId: () => p.manyToOne(Cluster).mapToPk().fieldName('cluster_id').nullable().deleteRule('no action'),
    /** Its cluster before all its uses were undone, for when it is used again. */
    formerClusterId: p.uuid().fieldName('stood_in').nullable(),
    reason: p.text(),
    /** The text that similarity is computed on: see `shared/src/formats/reason-key.ts`. */
    key: p.text(),
    /** A supervisor assigned the cluster. */
    assignedManually: p.boolean().fieldName('placed_by_hand'),
    createdAt: p.datetime(3),
  },
  indexes: [
    { name: 'wording_of_cluster', properties: ['clusterId'] },
    {
      name: 'wording_waiting',
      expression: `create index "wording_waiting" on "wording" ("created_at") where "cluster_id" is null`,
    },
    {
      name: 'wording_same',
      expression: `create index "wording_same" on "wording" ("project_id", (left("key", 200)), "placed_by_hand" desc, "created_at", "id") where "cluster_id" is not null`,
    },
    {
      name: 'wording_nearest',
      expression: `create index "wording_nearest" on "wording" using gist ("project_id", (left("key", 200)) gist_trgm_ops (siglen = 64)) where "cluster_id" is not null`,
    },
  ],
  uniques: [{ name: 'wording_of_reason', properties: ['projectId', 'reason'] }],
});
export class ReasonVariant extends ReasonVariantSchema.class {}
ReasonVariantSchema.setClass(ReasonVariant);
