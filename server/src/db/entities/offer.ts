// An open offer of membership to a wallet (PM5); accepting, declining, revoking or expiring it deletes the row.
import { defineEntity, p } from '@mikro-orm/core';
import { ROLES } from '@countersign/shared/enums';

const OfferSchema = defineEntity({
  name: 'Offer',
  tableName: 'offer',
  properties: {
    id: p.uuid().primary(),
    projectId: p.uuid(),
    /** The only wallet that may accept it, known to this service or not. */
    address: p.text().index(),
    role: p.enum(ROLES),
    madeBy: p.uuid(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3),
  },
  uniques: [{ properties: ['projectId', 'address'] }],
});
export class Offer extends OfferSchema.class {}
OfferSchema.setClass(Offer);
