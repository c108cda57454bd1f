// Sign-in with a wallet, the session it opens, and the settings of a person.
import * as api from '@countersign/shared/routes/session';
import type { Session } from '@countersign/shared/schemas/session';
import { CHALLENGE_SECONDS } from '../../domain/access/sign-in.ts';
import { presentAccount, presentOwnSession } from '../../presenters/session.ts';
import { changeAccount, readAccount } from '../../usecases/access/account.ts';
import { mayCreateProjects } from '../../usecases/projects/create-project.ts';
import { endOtherSessions, endSession, signOut } from '../../usecases/credentials/end-sessions.ts';
import { listOwnPositions } from '../../usecases/access/list-own-positions.ts';
import { listOwnOffers } from '../../usecases/access/list-offers.ts';
import { listSessions, ABSOLUTE_MS } from '../../usecases/credentials/sessions.ts';
import type { MemberActor, Services } from '../../usecases/services.ts';
import { signIn, startSignIn } from '../../usecases/credentials/sign-in.ts';
import { clearCookie, SESSION_COOKIE, setCookie, SIGN_IN_COOKIE } from '../admission/cookies.ts';
import { clientOf } from '../admission/rate-limit.ts';
import { header } from '../admission/callers.ts';
import type { Binder } from '../route.ts';

export function bindSession(bind: Binder, services: Services): void {
  bindSignIn(bind, services);
  bindOwnSessions(bind, services);
  bindAccount(bind, services);
}

function bindSignIn(bind: Binder, services: Services): void {
  bind.open(api.readMeta, () => Promise.resolve({ base_url: services.baseUrl, demo: services.demo }));

  bind.open(api.challenge, async ({ ctx }) => {
    const { id, input, binder } = await startSignIn(services, clientOf(ctx));
    setCookie(ctx, { name: SIGN_IN_COOKIE, value: binder, maxAgeMs: CHALLENGE_SECONDS * 1000, sameSite: 'strict' });
    return { challenge_id: id, input };
  });

  bind.open(api.verify, async ({ body, ctx }) => {
    const { session, user } = await signIn(services, {
      challengeId: body.challenge_id,
      binder: ctx.cookies.get(SIGN_IN_COOKIE),
      address: body.address,
      signedMessage: body.signed_message,
      signature: body.signature,
      userAgent: header(ctx, 'user-agent'),
      client: clientOf(ctx),
      heldToken: ctx.cookies.get(SESSION_COOKIE),
    });
    clearCookie(ctx, SIGN_IN_COOKIE);
    setCookie(ctx, { name: SESSION_COOKIE, value: session.token, maxAgeMs: ABSOLUTE_MS, sameSite: 'lax' });
    return readSession(services, { userId: user.id, address: user.address, name: user.name ?? null, ...session });
  });

  bind.member(api.readSession, ({ actor }) => readSession(services, actor));

  bind.member(api.endSession, async ({ actor, ctx }) => {
    await signOut(services, actor);
    clearCookie(ctx, SESSION_COOKIE);
    return undefined;
  });
}

async function readSession(
  services: Services,
  who: Pick<MemberActor, 'userId' | 'address' | 'name' | 'expiresAt'>,
): Promise<Session> {
  const { userId: id, address, name, expiresAt } = who;
  // Before the rest: a later position would hide what happened in between.
  const positions = await listOwnPositions(services, id);
  const offers = await listOwnOffers(services, who, { after: undefined, limit: 1 });
  const abilities = { create_project: mayCreateProjects(services, { address }) };
  const offered = offers.rows.length > 0;
  return { user: { id, address, name }, expires_at: expiresAt.toISOString(), offered, positions, abilities };
}

function bindOwnSessions(bind: Binder, services: Services): void {
  bind.member(api.listSessions, async ({ actor }) => {
    const sessions = await listSessions(services, actor);
    return { data: sessions.map((session) => presentOwnSession(session, actor.sessionId)), next_cursor: null };
  });
  bind.member(api.endOneSession, async ({ actor, params, ctx }) => {
    await endSession(services, actor, params.id);
    if (params.id === actor.sessionId) clearCookie(ctx, SESSION_COOKIE);
    return undefined;
  });
  bind.member(api.endOtherSessions, async ({ actor }) => {
    await endOtherSessions(services, actor);
    return undefined;
  });
}

function bindAccount(bind: Binder, services: Services): void {
  bind.member(api.readAccount, async ({ actor }) => {
    return presentAccount(await readAccount(services, actor));
  });
  bind.member(api.changeAccount, async ({ actor, body: { name, direct_adding: directAdding } }) => {
    const changes = { ...(name !== undefined && { name }), ...(directAdding !== undefined && { directAdding }) };
    return presentAccount(await changeAccount(services, actor, changes));
  });
}
