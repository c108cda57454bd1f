// A signed-in browser. The cookie carries `id.secret`; only the secret's SHA-256 is stored (A1).
import { defineEntity, p } from '@mikro-orm/core';
import { User } from './user.ts';

const SessionSchema = defineEntity({
  name: 'Session',
  tableName: 'session',
  properties: {
    id: p.uuid().primary(),
    userId: () => p.manyToOne(User).mapToPk().fieldName('user_id').deleteRule('cascade').index(),
    secretHash: p.text(),
    /** The browser that signed in, in words of ours; null when it is none we know. */
    device: p.text().nullable(),
    createdAt: p.datetime(3),
    lastSeenAt: p.datetime(3),
    expiresAt: p.datetime(3),
  },
});
export class Session extends SessionSchema.class {}
SessionSchema.setClass(Session);
