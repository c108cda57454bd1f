// One POST of a delivery and its result.
import { defineEntity, p } from '@mikro-orm/core';
import { Delivery } from './delivery.ts';

const AttemptSchema = defineEntity({
  name: 'Attempt',
  tableName: 'attempt',
  properties: {
    deliveryId: () => p.manyToOne(Delivery).mapToPk().fieldName('delivery_id').primary(),
    n: p.integer().primary(),
    url: p.text(),
    startedAt: p.datetime(3),
    totalMs: p.double().$type<number>(),
    dnsMs: p.double().$type<number>().nullable(),
    connectMs: p.double().$type<number>().nullable(),
    tlsMs: p.double().$type<number>().nullable(),
    firstByteMs: p.double().$type<number>().nullable(),
    httpStatus: p.integer().nullable(),
    error: p.text().nullable(),
    /** JSON: allow-listed lower-case names and their values. */
    responseHeaders: p.text().nullable(),
    responseText: p.text().nullable(),
    /** How many secrets signed it. */
    signatures: p.smallint().nullable(),
    remoteAddress: p.text().nullable(),
  },
});
export class Attempt extends AttemptSchema.class {}
AttemptSchema.setClass(Attempt);
