// Tests LG1: each kind of refusal and each sign-in logs a line with who, from where and how, and no secret.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { challenge, verify } from '@countersign/shared/api/session';
import { createSecurityLog, type SecurityEvent } from '../../../src/usecases/credentials/security-log.ts';
import { createApiKey } from '@countersign/shared/api/projects';
import { createTelemetry } from '../../../src/telemetry/telemetry.ts';
import { browser, makeWallet, person, signedChallenge } from '../../client.ts';
import { watchedLogger } from '../../log-watch.ts';
import {
  asPerson,
  type MatrixEnvironment,
  refusalCodeOf,
  openMatrixEnvironment,
  requestOf,
  send,
} from '../access-matrix/environment.ts';
import { startLiveServer } from '../support/live-server.ts';
import { hexOf } from '../webhooks/inbound-sender.ts';
import { serve, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
interface Line {
  event: SecurityEvent;
  level: number;
  address: string;
  method: string;
  path?: string;
  code?: string;
  user?: string;
  key?: string;
}
const logged: string[] = [];
const lines = () => logged.map((line) => JSON.parse(line) as Line);
const figures = createTelemetry();
let served: Served;
let matrixEnv: MatrixEnvironment;

/** As many lines as a test may cause: another test covers the limit. */
beforeAll(async () => {
  served = await serve(inside.services);
  matrixEnv = await openMatrixEnvironment(served, inside);
});
afterAll(() => served.close());
beforeEach(() => {
  logged.length = 0;
  const fresh = createSecurityLog(watchedLogger((line) => logged.push(line)));
  fresh.subscribe(figures.security);
  inside.services.security.note = fresh.note;
});

const sameOrigin = () => ({ origin: served.testEnv.baseUrl });
const INFO = 30;

describe('LG1: a refusal logs one line', () => {
  const foreign = { origin: 'https://evil.test' };
  const cases: [event: SecurityEvent, code: string, ask: () => Promise<unknown>, who: () => object][] = [
    [
      'origin',
      'origin_refused',
      () => refusalCodeOf(matrixEnv, 'createProject', { ...asPerson(matrixEnv, 'owner'), ...foreign }),
      () => ({}),
    ],
    ['session', 'session_missing', () => refusalCodeOf(matrixEnv, 'createProject', sameOrigin()), () => ({})],
    [
      'role',
      'forbidden',
      () => refusalCodeOf(matrixEnv, 'createApiKey', asPerson(matrixEnv, 'reviewer')),
      () => ({ user: matrixEnv.people.reviewer.id }),
    ],
    [
      'project',
      'not_found',
      () => refusalCodeOf(matrixEnv, 'createApiKey', asPerson(matrixEnv, 'stranger')),
      () => ({ user: matrixEnv.people.stranger.id }),
    ],
    ['key', 'api_key_missing', () => refusalCodeOf(matrixEnv, 'readItem', {}), () => ({})],
    [
      'key',
      'api_key_invalid',
      () => refusalCodeOf(matrixEnv, 'readItem', { 'x-api-key': matrixEnv.revokedKey }),
      () => ({}),
    ],
    [
      'signature',
      'signature_invalid',
      () => {
        const request = requestOf(matrixEnv, 'receiveInbound');
        return send(matrixEnv, request, hexOf(matrixEnv.theirSource.secret, request.body as string));
      },
      () => ({}),
    ],
  ];

  it.each(cases)('logs one line %s for a refusal with %s', async (event, code, ask, who) => {
    await ask();
    expect(lines()).toMatchObject([{ level: INFO, event, code, address: '127.0.0.1', ...who() }]);
    expect(lines()[0]).toMatchObject({
      method: expect.stringMatching(/^[A-Z]+$/) as string,
      path: expect.stringMatching(/^\//) as string,
    });
    const page = (await figures.page()).text;
    expect(page).toMatch(new RegExp(`countersign_security_events_total\\{event="${event}"\\} [1-9]`));
  });

  it('role: a key is named by its last characters, and an allowed request logs none', async () => {
    const body = { scopes: ['read' as const] };
    const { api_key: key, id } = await matrixEnv.project.owner.call(createApiKey, {
      params: { id: matrixEnv.project.id },
      body,
    });
    expect(lines()).toEqual([]);
    await refusalCodeOf(matrixEnv, 'submitItem', { 'x-api-key': key });
    expect(lines()).toMatchObject([{ event: 'role', key: id }]);
  });

  it('never with the token of an invite', async () => {
    await refusalCodeOf(matrixEnv, 'acceptInvite', asPerson(matrixEnv, 'stranger'));
    expect(lines()).toMatchObject([{ event: 'project', path: '/api/invites/…/accept' }]);
  });

  it('unless the object does not exist', async () => {
    await send(matrixEnv, { method: 'GET', path: '/api/nothing' }, {});
    expect(lines()).toEqual([]);
  });
});

describe('LG1: a sign-in logs one line', () => {
  it('logs a sign-in that succeeded, with its person', async () => {
    const { id } = await person(served.testEnv);
    expect(lines()).toMatchObject([
      { level: INFO, event: 'sign_in', user: id, address: '127.0.0.1', method: 'solana' },
    ]);
  });

  it('logs a sign-in that failed, with its challenge', async () => {
    const stranger = browser(served.testEnv);
    const asked = await stranger.call(challenge);
    const signed = signedChallenge(makeWallet(), asked);
    await stranger.refused('signature_invalid', verify, {
      body: { ...signed, signature: signedChallenge(makeWallet(), asked).signature },
    });
    expect(lines()).toMatchObject([
      { level: INFO, event: 'sign_in_refused', challenge: asked.challenge_id, address: '127.0.0.1', method: 'solana' },
    ]);
  });
});

describe('LG1: a refused socket logs one line', () => {
  it.each([
    ['origin', { origin: 'https://evil.test' }],
    ['session', {}],
  ])('logs one line for a socket refused for its %s', async (event, headers) => {
    const live = await startLiveServer(inside);
    await expect(live.connect({ ...sameOrigin(), ...headers })).rejects.toThrow();
    expect(lines()).toMatchObject([{ level: INFO, event, method: 'GET', path: '/socket.io' }]);
    expect(lines()[0]?.address).toContain('127.0.0.1');
    await live.close();
  });

  it('logs nothing for an accepted socket', async () => {
    const live = await startLiveServer(inside);
    (await live.connect(asPerson(matrixEnv, 'reviewer'))).socket.close();
    expect(lines()).toEqual([]);
    await live.close();
  });
});
