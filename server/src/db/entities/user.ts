// A person: one wallet address, one row. The address is the identity, case kept (security S9).
import { defineEntity, p } from '@mikro-orm/core';

const UserSchema = defineEntity({
  name: 'User',
  tableName: 'app_user',
  properties: {
    id: p.uuid().primary(),
    address: p.text().unique(),
    name: p.text().nullable(),
    createdAt: p.datetime(3),
  },
});
export class User extends UserSchema.class {}
UserSchema.setClass(User);
