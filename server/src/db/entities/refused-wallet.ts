// A wallet whose offers a user has blocked: they see none of them (PM9).
import { defineEntity, p } from '@mikro-orm/core';

const RefusedWalletSchema = defineEntity({
  name: 'RefusedWallet',
  tableName: 'refused_wallet',
  properties: {
    /** The user who blocked. */
    userId: p.uuid().primary(),
    /** The blocked user. */
    refusedId: p.uuid().primary(),
    createdAt: p.datetime(3),
  },
});
export class RefusedWallet extends RefusedWalletSchema.class {}
RefusedWalletSchema.setClass(RefusedWallet);
