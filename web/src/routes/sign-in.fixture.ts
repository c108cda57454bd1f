// The service for tests of the sign-in page, and wallets whose answers a test provides.
import type { Wallet } from '@wallet-standard/base';
import { afterEach, beforeEach, vi } from 'vitest';
import { observeServerTime } from '#lib/time/clock.svelte.ts';
import { session } from '#lib/auth/session.svelte.ts';
import type { WalletChoice } from '#lib/auth/wallets.ts';

export const HERE = 'https://review.example.com';
export const NOW = Date.parse('2026-11-20T14:02:31.000Z');
export const ADDRESS = '7xKXtg2CWx8Q4vDh9mZ1rT5yBnE3sPfLcJ6uHkWa9fQ2';
export const OTHER = '9abCtg2CWx8Q4vDh9mZ1rT5yBnE3sPfLcJ6uHkWa1234';
const BYTES = Uint8Array.of(1, 2, 3);
const USER = { id: '00000000-0000-7000-8000-000000000001', address: ADDRESS, name: null };

interface Answer {
  status?: number;
  [member: string]: unknown;
}

interface FakeService {
  /** Its answers, by path; a test replaces them. */
  answers: Record<string, () => Answer>;
  requests: { path: string; body: unknown }[];
  /** Its clock, in ms. */
  now: number;
  /** How often a path was requested. */
  times(path: string): number;
}

export const refusal = (status: number, code: string): Answer => ({
  status,
  code,
  title: 'No',
  detail: 'Why.',
  request_id: 'r-1',
});

/** The service before each test: nobody is signed in, both clocks say NOW. */
export function useService(): FakeService {
  const service: FakeService = {
    answers: {},
    requests: [],
    now: NOW,
    times: (wanted) => service.requests.filter(({ path }) => path === wanted).length,
  };
  beforeEach(() => {
    Object.assign(service, { answers: usual(service), requests: [], now: NOW });
    vi.useFakeTimers({ now: NOW, toFake: ['Date', 'setTimeout', 'clearTimeout'] });
    vi.stubGlobal('location', { origin: HERE, reload: vi.fn() });
    vi.stubGlobal('document', { querySelector: () => null });
    vi.stubGlobal('isSecureContext', true);
    vi.stubGlobal('fetch', async (path: string, { body }: { body?: string }) => {
      service.requests.push({ path, body: body === undefined ? null : JSON.parse(body) });
      const answer = service.answers[path]?.() ?? refusal(404, 'not_found');
      const headers = { 'content-type': 'application/json', date: new Date(service.now).toUTCString() };
      return new Response(JSON.stringify(answer), { status: answer.status ?? 200, headers });
    });
    session.user = null;
    session.state = 'signed_out';
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
    // The page's estimate of the server's clock outlives a test.
    observeServerTime({ from: Date.now(), to: Date.now(), sentAt: Date.now() });
  });
  return service;
}

function usual(service: FakeService): FakeService['answers'] {
  let made = 0;
  const held = () => ({ user: USER, expires_at: new Date(service.now).toISOString() });
  return {
    '/api/meta': () => ({ base_url: HERE, demo: false }),
    '/api/auth/challenge': () => aChallenge((made += 1), service.now),
    '/api/auth/verify': held,
    '/api/session': held,
  };
}

function aChallenge(number: number, now: number): Answer {
  const [issuedAt, expirationTime] = [new Date(now).toISOString(), new Date(now + 300_000).toISOString()];
  const input = { domain: 'review.example.com', uri: HERE, statement: 'Sign in.', version: '1', chainId: 'mainnet' };
  return {
    challenge_id: `challenge ${number}`,
    input: { ...input, nonce: `nonce${number}`, issuedAt, expirationTime },
  };
}

/** A wallet whose answers a test provides, in order; after them it signs. `requests` are what it was asked. */
export function wallet(...given: (() => unknown)[]): WalletChoice & { requests: unknown[] } {
  const requests: unknown[] = [];
  const signIn = async (input: unknown) => {
    requests.push(input);
    return (given.shift() ?? signed)();
  };
  const accounts: object[] = [];
  const made = { name: 'Test', accounts, features: { 'solana:signIn': { signIn } } } as unknown as Wallet;
  return { name: 'Test', icon: null, method: 'sign-in', last: null, sameName: false, wallet: made, requests };
}

export const signed = () => [{ account: { address: ADDRESS }, signedMessage: BYTES, signature: BYTES }];
/** Wallets throw any value; only the type says that it is an Error. */
export function throwing(thrown: unknown): () => Promise<never> {
  const error = thrown as Error;
  return () => Promise.reject(error);
}

/** An answer that arrives when the test says so. */
export function later() {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  return { answer: () => promise, come: resolve };
}
