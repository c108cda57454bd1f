// The counts of a project in one minute, hour or day (UTC), by measure: sums over its event log (I9).
import { defineEntity, p } from '@mikro-orm/core';
import { Project } from './project.ts';

const GRAINS = ['minute', 'hour', 'day'] as const;

const RollupSchema = defineEntity({
  name: 'Rollup',
  tableName: 'rollup',
  properties: {
    projectId: () => p.manyToOne(Project).mapToPk().fieldName('project_id').primary(),
    /** What is counted, `server/src/domain/analytics/rollup.ts`. */
    measure: p.text().primary(),
    grain: p.enum(GRAINS).primary(),
    /** The start of the bucket. */
    at: p.datetime(3).primary(),
    key: p.text().primary(),
    n: p.bigint('number'),
    /** How many of `n`. */
    part: p.bigint('number'),
    total: p.bigint('number'),
  },
});
export class Rollup extends RollupSchema.class {}
RollupSchema.setClass(Rollup);
