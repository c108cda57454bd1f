// A sign-in message we made: good once, for five minutes, in the browser that asked (security S1 to S4).
import { defineEntity, p } from '@mikro-orm/core';
import type { SignInInput } from '@countersign/shared/api/session';

const AuthChallengeSchema = defineEntity({
  name: 'AuthChallenge',
  tableName: 'auth_challenge',
  properties: {
    id: p.uuid().primary(),
    binderHash: p.text(),
    input: p.json<SignInInput>(),
    expiresAt: p.datetime(3).index(),
    consumedAt: p.datetime(3).nullable(),
  },
});
export class AuthChallenge extends AuthChallengeSchema.class {}
AuthChallengeSchema.setClass(AuthChallenge);
