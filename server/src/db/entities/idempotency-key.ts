// A submission's idempotency key: written in the item's own transaction, kept seven days (CONTRACT section 1).
import { defineEntity, p } from '@mikro-orm/core';
import { Item } from './item.ts';
import { Project } from './project.ts';

const IdempotencyKeySchema = defineEntity({
  name: 'IdempotencyKey',
  tableName: 'idempotency_key',
  properties: {
    projectId: () => p.manyToOne(Project).mapToPk().fieldName('project_id').primary(),
    operation: p.text().primary(),
    key: p.text().primary(),
    bodySha256: p.text(),
    itemId: () => p.manyToOne(Item).mapToPk().fieldName('item_id').deferMode('deferred'),
    createdAt: p.datetime(3).index(),
  },
});
export class IdempotencyKey extends IdempotencyKeySchema.class {}
IdempotencyKeySchema.setClass(IdempotencyKey);
