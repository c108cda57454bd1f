// Sign-in with a wallet, and the session it opens.
import {
  challenge,
  endSession as endSessionEndpoint,
  readMeta,
  readSession,
  verify,
} from '@countersign/shared/api/session';
import { CHALLENGE_SECONDS } from '../../domain/sign-in.ts';
import type { Services } from '../../usecases/services.ts';
import { ABSOLUTE_MS, endSession } from '../../usecases/sessions.ts';
import { signIn, startSignIn } from '../../usecases/sign-in.ts';
import { clearCookie, SESSION_COOKIE, setCookie, SIGN_IN_COOKIE } from '../cookies.ts';
import type { Binder } from '../route.ts';

export function bindSession(bind: Binder, services: Services): void {
  bind.open(readMeta, () => Promise.resolve({ base_url: services.baseUrl, demo: services.demo }));

  bind.open(challenge, async ({ ctx }) => {
    const { id, input, binder } = await startSignIn(services);
    setCookie(ctx, { name: SIGN_IN_COOKIE, value: binder, maxAgeMs: CHALLENGE_SECONDS * 1000, sameSite: 'strict' });
    return { challenge_id: id, input };
  });

  bind.open(verify, async ({ body, ctx }) => {
    const { session, user } = await signIn(services, {
      challengeId: body.challenge_id,
      binder: ctx.cookies.get(SIGN_IN_COOKIE),
      address: body.address,
      signedMessage: body.signed_message,
      signature: body.signature,
    });
    clearCookie(ctx, SIGN_IN_COOKIE);
    setCookie(ctx, { name: SESSION_COOKIE, value: session.token, maxAgeMs: ABSOLUTE_MS, sameSite: 'lax' });
    const name = user.name ?? null;
    return { user: { id: user.id, address: user.address, name }, expires_at: session.expiresAt.toISOString() };
  });

  bind.member(readSession, ({ actor }) => {
    const { userId: id, address, name, expiresAt } = actor;
    return Promise.resolve({ user: { id, address, name }, expires_at: expiresAt.toISOString() });
  });

  bind.member(endSessionEndpoint, async ({ actor, ctx }) => {
    await endSession(services, actor.sessionId);
    services.kick.session(actor.sessionId);
    clearCookie(ctx, SESSION_COOKIE);
    return undefined;
  });
}
