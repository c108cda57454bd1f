// A member of a project, with a role.
import { defineEntity, p } from '@mikro-orm/core';
import { ROLES } from '@countersign/shared/enums';
import { Project } from './project.ts';
import { User } from './user.ts';

const MemberSchema = defineEntity({
  name: 'Member',
  tableName: 'member',
  properties: {
    projectId: () => p.manyToOne(Project).mapToPk().fieldName('project_id').primary(),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').primary().index(),
    role: p.enum(ROLES),
    createdAt: p.datetime(3),
    /** The guidelines version that they last saw. */
    guidelinesSeen: p.integer().default(1),
    /** Up to when they have seen all alerts, from before `alert_seen` stored that by topic (WH6). Only read. */
    alertsSeenAt: p.datetime(3).nullable(),
    /** They hid the list of what is left before production (ON1). */
    readinessHidden: p.boolean().default(false),
  },
});
export class Member extends MemberSchema.class {}
MemberSchema.setClass(Member);
