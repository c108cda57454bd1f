// An idempotency key, written with its items (I2); public ones are retained for seven days, inbound ones forever.
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
    /** In the order of the submission that created them. */
    itemIds: p.type(TextArray).columnType('uuid[]').$type<string[]>(),
    createdAt: p.datetime(3).index(),
  },
});
export class IdempotencyKey extends IdempotencyKeySchema.class {}
IdempotencyKeySchema.setClass(IdempotencyKey);
