// Tests that a session that ends during its request changes nothing (A21): every mutating route, every way it ends.
import { beforeAll, afterAll, describe, expect, it, vi } from 'vitest';
import { randomUUID } from 'node:crypto';
import { request, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { Kysely } from 'kysely';
import type { Role } from '@countersign/shared/enums';
import { IDLE_MS } from '../../../src/db/live-session.ts';
import { claim } from '../../../src/usecases/claims/claim.ts';
import { claimNext } from '../../../src/usecases/claims/claim-next.ts';
import { decide } from '../../../src/usecases/decisions/decide.ts';
import { createSession, findSession } from '../../../src/usecases/credentials/sessions.ts';
import type { MemberActor, Services } from '../../../src/usecases/services.ts';
import { aSubmission } from '../../builders.ts';
import { CHANGES, endpointOf, ACCESS_RULES } from './routes.ts';
import { codeOf, type MatrixEnvironment, openMatrixEnvironment, requestOf, send } from './environment.ts';
import { withOpenTransaction, waitForBlocked } from '../support/blocking-transaction.ts';
import { aDecision } from '../support/project-fixture.ts';
import { serve } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
let matrixEnv: MatrixEnvironment;
/** What happens between the session check at the start of a request and its next transaction. */
let meanwhile: (() => Promise<void>) | null = null;

beforeAll(async () => {
  const { db } = inside.services;
  const interrupt = async () => {
    const now = meanwhile;
    meanwhile = null;
    await now?.();
  };
  const interrupted: Services['db'] = {
    ...db,
    write: async (work) => {
      await interrupt();
      return db.write(work);
    },
    refuseEnded: async () => {
      await interrupt();
      await db.refuseEnded();
    },
  };
  // Two routes share the limit of test messages, which three ways to end a session would reach.
  const { limiter: real } = inside.services;
  const take: typeof real.take = (name, key, cost) =>
    real.take(name, name === 'webhook-test' ? randomUUID() : key, cost);
  const limiter = { ...real, take };
  matrixEnv = await openMatrixEnvironment(await serve({ ...inside.services, limiter, db: interrupted }), inside);
});
afterAll(() => matrixEnv.served.close());

const ENDS: Record<string, (id: string) => Promise<unknown>> = {
  'ended on purpose': (id) => inside.sql('delete from session where id = ?', [id]),
  'idle too long': (id) => inside.sql('update session set last_seen_at = ? where id = ?', [ago(IDLE_MS + 1), id]),
  'too old': (id) => inside.sql('update session set expires_at = ? where id = ?', [ago(0), id]),
};
const ago = (ms: number) => new Date(inside.clock.now().getTime() - ms).toISOString();

/** A session of the least privileged caller, seen just now. */
async function aSession(name: string): Promise<{ id: string; cookie: string; userId: string }> {
  const least = ACCESS_RULES[name]?.least as Role | 'anyone';
  const { id: userId } = matrixEnv.people[least === 'anyone' ? 'stranger' : least];
  const { token } = await inside.services.db.write((tx) => createSession(inside.services, tx, { userId }));
  return { id: token.split('.')[0] ?? '', cookie: `__Host-sid=${token}`, userId };
}

/** Every row of every table except sessions. */
async function everything(): Promise<string> {
  const tables = await inside.sql<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
     and relname <> 'session' order by relname`,
  );
  const each = tables.map(
    ({ name }) =>
      `select '${name}' as name, md5(coalesce(string_agg(t::text, ',' order by t::text), '')) as rows from "${name}" t`,
  );
  return JSON.stringify(await inside.sql(each.join(' union all ')));
}

/** Mutations by people: a request of a pipeline or a stranger needs no session. */
const BY_SESSION = CHANGES.filter((name) => endpointOf(name).auth === 'session');
const WRITES = [...BY_SESSION, 'exportLearnings'];

/** A body with the fence of a claim that this person has. */
const WITH_FENCE: Record<string, object> = { decideItem: { action: 'approve' }, releaseClaim: {}, renewClaim: {} };

async function bodyOf(name: string, { userId }: { userId: string }): Promise<string | undefined> {
  if (WITH_FENCE[name] === undefined) return requestOf(matrixEnv, name).body as string | undefined;
  const who: MemberActor = { kind: 'member', userId, address: 'x', name: null, sessionId: '', expiresAt: new Date() };
  const { fence } = await claim(inside.services, who, matrixEnv.ids.item);
  return JSON.stringify({ fence, ...WITH_FENCE[name] });
}

describe.each(Object.keys(ENDS))('A21: a session that is %s between its request and the transaction', (how) => {
  it.each(WRITES)('%s changes nothing once its session has ended', async (name) => {
    const session = await aSession(name);
    const asked = { ...requestOf(matrixEnv, name), body: await bodyOf(name, session) };
    const before = await everything();
    meanwhile = async () => void (await ENDS[how]?.(session.id));
    const headers = { origin: matrixEnv.served.testEnv.baseUrl, cookie: session.cookie };
    const code = codeOf(await send(matrixEnv, asked, headers));
    meanwhile = null;
    expect(await everything()).toBe(before);
    expect(code).toBe('session_missing');
  });
});

/** Sends the start of a request, and returns a function that sends the rest and reads the response. */
async function begin(name: string, { cookie, body }: { cookie: string; body: string }) {
  const { method, path } = requestOf(matrixEnv, name);
  const length = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
  const headers = { origin: matrixEnv.served.testEnv.baseUrl, cookie, ...length };
  const outgoing = request(matrixEnv.served.testEnv.url() + path, { method, headers, agent: false });
  outgoing.write(body.slice(0, 1));
  const answered = once(outgoing, 'response');
  return async () => {
    outgoing.end(body.slice(1));
    const [answer] = (await answered) as [IncomingMessage];
    answer.resume();
    return answer.statusCode;
  };
}

describe('A21: a body that is held back while its session ends', () => {
  const seen = async (id: string) => {
    const [row] = await inside.sql<{ at: Date }>('select last_seen_at as at from session where id = ?', [id]);
    return new Date(row?.at ?? 0).getTime();
  };

  it.each(BY_SESSION.filter((name) => endpointOf(name).body !== null))(
    '%s is refused when its session ends before its body arrives',
    async (name) => {
      const session = await aSession(name);
      const body = (await bodyOf(name, session)) ?? '{}';
      // A recorded last-seen time shows that the first session check has run.
      await inside.sql('update session set last_seen_at = ? where id = ?', [ago(120_000), session.id]);
      const noted = await seen(session.id);
      const before = await everything();
      const finish = await begin(name, { ...session, body });
      await expect.poll(() => seen(session.id)).toBeGreaterThan(noted);
      await inside.sql('delete from session where id = ?', [session.id]);
      // Longer than a second by the clock of the check, so that a request without a transaction is refused as well.
      const now = performance.now();
      vi.useFakeTimers({ toFake: ['performance'] });
      vi.advanceTimersByTime(now + 1001);
      const status = await finish().finally(() => vi.useRealTimers());
      expect([status, await everything()]).toEqual([401, before]);
    },
  );
});

describe('A21: ending a session', () => {
  it('waits for a change that is under way, which then finds the session ended', async () => {
    const session = await aSession('createApiKey');
    const before = await everything();
    const asked = requestOf(matrixEnv, 'createApiKey');
    const headers = { origin: matrixEnv.served.testEnv.baseUrl, cookie: session.cookie };
    const code = await withOpenTransaction(
      inside,
      ['delete from session where id = ?', [session.id]],
      async (commit) => {
        const answer = send(matrixEnv, asked, headers);
        await waitForBlocked(inside, 1);
        await commit();
        return codeOf(await answer);
      },
    );
    expect([code, await everything()]).toEqual(['session_missing', before]);
  });

  it('does not wait for callers who claim the next item at the same moment', async () => {
    const { services } = inside;
    const [gone, stays] = [await aSession('claimNext'), await aSession('createApiKey')];
    await inside.sql('update item set claimed_by = null, claim_expires_at = null');
    const next = async ({ cookie }: { cookie: string }) => {
      const actor = (await findSession(services, cookie.split('=')[1])) as MemberActor;
      return () => services.db.forSession(actor.sessionId, () => claimNext(services, actor, {}));
    };
    const [one, other] = [await next(gone), await next(stays)];
    await withOpenTransaction(inside, ['delete from session where id = ?', [gone.id]], async (commit) => {
      const refused = one().catch((error: unknown) => error);
      await expect(other()).resolves.toMatchObject({ item: {} });
      await waitForBlocked(inside, 1);
      await commit();
      expect(await refused).toMatchObject({ code: 'session_missing' });
    });
  });

  it('ends one of two sessions that end each other', async () => {
    const [one, other] = [await aSession('endSession'), await aSession('endSession')];
    const request = requestOf(matrixEnv, 'endOtherSessions');
    const headers = ({ cookie }: { cookie: string }) => ({ origin: matrixEnv.served.testEnv.baseUrl, cookie });
    const answers = await Promise.all(
      [one, other].map(async (own) => codeOf(await send(matrixEnv, request, headers(own)))),
    );
    expect(answers.sort()).toEqual(['in', 'session_missing']);
  });
});

/** How many statements were sent to PostgreSQL meanwhile. */
async function countStatements(work: () => Promise<unknown>): Promise<number> {
  const sent = vi.spyOn(Kysely.prototype, 'executeQuery');
  await work();
  const count = sent.mock.calls.length;
  sent.mockRestore();
  return count;
}

it('A21: checking the session costs a decision no extra statement', async () => {
  const { services } = inside;
  const counts: number[] = [];
  for (const id of [null, (await aSession('decideItem')).id]) {
    const who = { ...matrixEnv.people.reviewer };
    const actor: MemberActor = {
      kind: 'member',
      userId: who.id,
      address: 'x',
      name: null,
      sessionId: '',
      expiresAt: new Date(),
    };
    const { id: itemId } = await matrixEnv.project.pipeline.submit(aSubmission());
    const { fence } = await claim(services, actor, itemId);
    const statements = await countStatements(() =>
      services.db.forSession(id, () => decide(services, actor, { itemId, fence, ...aDecision('approve') })),
    );
    counts.push(statements);
  }
  expect(counts[0]).toBeGreaterThan(2);
  expect(counts[1]).toBe(counts[0]);
});
