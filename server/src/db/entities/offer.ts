// An offer of membership to a wallet (PM5). The row is the open offer: it is deleted when the offer is accepted,
// declined, revoked or expired.
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
