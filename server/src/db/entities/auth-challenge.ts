// A sign-in message of ours: valid once, for five minutes, in the browser that requested it (S1 to S4).
import { defineEntity, p } from '@mikro-orm/core';
import type { SignInInput } from '@countersign/shared/schemas/session';

const AuthChallengeSchema = defineEntity({
  name: 'AuthChallenge',
  tableName: 'auth_challenge',
  properties: {
    id: p.uuid().primary(),
    binderHash: p.text(),
    input: p.json<SignInInput>(),
    expiresAt: p.datetime(3).index(),
    consumedAt: p.datetime(3).nullable(),
    /** The client address as rate limits count it; deleted with the row soon after it expires. */
    askedFrom: p.text().nullable(),
  },
  indexes: [
    {
      name: 'auth_challenge_unused',
      expression: `create index "auth_challenge_unused" on "auth_challenge" ("asked_from", "expires_at", "id") where "consumed_at" is null`,
    },
  ],
});
export class AuthChallenge extends AuthChallengeSchema.class {}
AuthChallengeSchema.setClass(AuthChallenge);
