// A session of a browser. The cookie contains `id.secret`; only the SHA-256 of the secret is stored (A1).
import { defineEntity, p } from '@mikro-orm/core';
import { User } from './user.ts';

const SessionSchema = defineEntity({
  name: 'Session',
  tableName: 'session',
  properties: {
    id: p.uuid().primary(),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').deleteRule('cascade').index(),
    secretHash: p.text(),
    /** A readable name of the browser that signed in; null when it is unknown. */
    device: p.text().nullable(),
    createdAt: p.datetime(3),
    lastSeenAt: p.datetime(3),
    expiresAt: p.datetime(3),
  },
});
export class Session extends SessionSchema.class {}
SessionSchema.setClass(Session);
