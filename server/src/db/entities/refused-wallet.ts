// A wallet whose offers a person refuses: they see none of them (PM9).
import { defineEntity, p } from '@mikro-orm/core';

const RefusedWalletSchema = defineEntity({
  name: 'RefusedWallet',
  tableName: 'refused_wallet',
  properties: {
    /** Who refuses. */
    userId: p.uuid().primary(),
    /** Whose offers. */
    refusedId: p.uuid().primary(),
    createdAt: p.datetime(3),
  },
});
export class RefusedWallet extends RefusedWalletSchema.class {}
RefusedWalletSchema.setClass(RefusedWallet);
