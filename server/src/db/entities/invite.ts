// An invite to a project, with the SHA-256 of its token; open until used, revoked or expired (PM3).
import { defineEntity, p } from '@mikro-orm/core';
import { ROLES } from '@countersign/shared/enums';
import { Project } from './project.ts';
import { User } from './user.ts';

const InviteSchema = defineEntity({
  name: 'Invite',
  tableName: 'invite',
  properties: {
    id: p.uuid().primary(),
    projectId: () => p.manyToOne(Project).mapToPk().fieldName('project_id').index(),
    tokenHash: p.text().unique(),
    role: p.enum(ROLES),
    /** The only wallet that may use it; null: anyone with the link. */
    address: p.text().nullable(),
    createdBy: () => p.manyToOne(User).mapToPk().fieldName('created_by').nullable(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3),
    usedBy: () => p.manyToOne(User).mapToPk().fieldName('used_by').nullable(),
    usedAt: p.datetime(3).nullable(),
    revokedAt: p.datetime(3).nullable(),
  },
});
export class Invite extends InviteSchema.class {}
InviteSchema.setClass(Invite);
