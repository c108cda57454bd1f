// An API key of a project: stores only its SHA-256 and last four characters, the text is shown once (K1, K2).
import { defineEntity, p } from '@mikro-orm/core';
import type { Scope } from '@countersign/shared/enums';
import { Project } from './project.ts';
import { TextArray } from './text-array.ts';
import { User } from './user.ts';

const ApiKeySchema = defineEntity({
  name: 'ApiKey',
  tableName: 'api_key',
  properties: {
    id: p.uuid().primary(),
    projectId: () => p.manyToOne(Project).mapToPk().fieldName('project_id').index(),
    name: p.text(),
    hash: p.text().unique(),
    last4: p.text(),
    /** Its scopes (K8). */
    scopes: p.type(TextArray).$type<Scope[]>().defaultRaw(`'{submit,read}'`),
    createdBy: () => p.manyToOne(User).mapToPk().fieldName('created_by').nullable(),
    createdAt: p.datetime(3),
    /** The key is refused from then on (K9). */
    expiresAt: p.datetime(3).nullable(),
    lastUsedAt: p.datetime(3).nullable(),
    revokedAt: p.datetime(3).nullable(),
  },
});
export class ApiKey extends ApiKeySchema.class {}
ApiKeySchema.setClass(ApiKey);
