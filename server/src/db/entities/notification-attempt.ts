// One POST of a reminder and its result. What the receiver answered is not stored.
import { defineEntity, p } from '@mikro-orm/core';
import { NotificationMessage } from './notification-message.ts';

const NotificationAttemptSchema = defineEntity({
  name: 'NotificationAttempt',
  tableName: 'notification_attempt',
  properties: {
    messageId: () => p.manyToOne(NotificationMessage).mapToPk().fieldName('message_id').primary().deleteRule('cascade'),
    n: p.integer().primary(),
    startedAt: p.datetime(3),
    totalMs: p.double().$type<number>(),
    httpStatus: p.integer().nullable(),
    error: p.text().nullable(),
  },
});
export class NotificationAttempt extends NotificationAttemptSchema.class {}
NotificationAttemptSchema.setClass(NotificationAttempt);
