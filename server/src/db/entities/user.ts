// A user: one wallet address, one row. The address is the identity, with its case (S9).
import { defineEntity, p } from '@mikro-orm/core';

const UserSchema = defineEntity({
  name: 'User',
  tableName: 'app_user',
  properties: {
    id: p.uuid().primary(),
    address: p.text().unique(),
    name: p.text().nullable(),
    createdAt: p.datetime(3),
    /** People who share a project with them may add them to another one directly (PM6). */
    directAdding: p.boolean().default(false),
    /** Checked for a name that someone else set, as owners once could (PM4; `worker/sweep.ts`). */
    nameSettled: p.boolean().default(false),
    /** Since when the operator has blocked this wallet (A20). */
    blockedAt: p.datetime(3).nullable(),
  },
});
export class User extends UserSchema.class {}
UserSchema.setClass(User);
