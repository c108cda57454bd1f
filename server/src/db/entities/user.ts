// A person: one wallet address, one row. The address is the identity, case kept (S9).
import { defineEntity, p } from '@mikro-orm/core';

const UserSchema = defineEntity({
  name: 'User',
  tableName: 'app_user',
  properties: {
    id: p.uuid().primary(),
    address: p.text().unique(),
    name: p.text().nullable(),
    createdAt: p.datetime(3),
    /** They allowed whoever shares a project with them to add them to another one directly (PM6). */
    directAdding: p.boolean().default(false),
    /** Looked through for a name that somebody else gave it, as owners once could (PM4; `forget-given-names.ts`). */
    nameSettled: p.boolean().default(false),
    /** Since when the operator lets this wallet in no more (A20). */
    blockedAt: p.datetime(3).nullable(),
  },
});
export class User extends UserSchema.class {}
UserSchema.setClass(User);
