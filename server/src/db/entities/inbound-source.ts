// A source of signed submissions for a project, with its encrypted secret (docs/spec/webhooks.md#inbound).
import { defineEntity, p } from '@mikro-orm/core';
import { Project } from './project.ts';
import { User } from './user.ts';

const InboundSourceSchema = defineEntity({
  name: 'InboundSource',
  tableName: 'inbound_source',
  properties: {
    id: p.uuid().primary(),
    projectId: () => p.manyToOne(Project).mapToPk().fieldName('project_id').index(),
    name: p.text(),
    secret: p.text(),
    createdBy: () => p.manyToOne(User).mapToPk().fieldName('created_by').nullable(),
    createdAt: p.datetime(3),
    lastUsedAt: p.datetime(3).nullable(),
    removedAt: p.datetime(3).nullable(),
  },
});
export class InboundSource extends InboundSourceSchema.class {}
InboundSourceSchema.setClass(InboundSource);
