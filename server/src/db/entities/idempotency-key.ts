// What makes a repeat harmless: written in the transaction of the items it stands for (I2). Public keys are kept seven days, inbound ones for good.
import { defineEntity, p } from '@mikro-orm/core';
import { Project } from './project.ts';
import { TextArray } from './text-array.ts';

const IdempotencyKeySchema = defineEntity({
  name: 'IdempotencyKey',
  tableName: 'idempotency_key',
  properties: {
    projectId: () => p.manyToOne(Project).mapToPk().fieldName('project_id').primary(),
    /** `submit`, `batch` or `inbound:<source id>`. */
    operation: p.text().primary(),
    key: p.text().primary(),
    bodySha256: p.text().nullable(),
    /** In the order of the submission that made them. */
    itemIds: p.type(TextArray).columnType('uuid[]').$type<string[]>(),
    createdAt: p.datetime(3).index(),
  },
});
export class IdempotencyKey extends IdempotencyKeySchema.class {}
IdempotencyKeySchema.setClass(IdempotencyKey);
