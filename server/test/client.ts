// Calls the service as a person or a pipeline does, and checks every response against the contract.
import { generateKeyPairSync, sign } from 'node:crypto';
import { createSignInMessage } from '@solana/wallet-standard-util';
import bs58 from 'bs58';
import { expect } from 'vitest';
import { z } from 'zod';
import { endpointOf } from '@countersign/shared/contract/endpoints';
import type { Route } from '@countersign/shared/routes/route';
import type { BatchResult, PublicItem, Submission, Submitted } from '@countersign/shared/schemas/public';
import { readItem, submitBatch, submitItem } from '@countersign/shared/routes/public';
import { challenge, verify } from '@countersign/shared/routes/session';
import type { Session, SignInInput } from '@countersign/shared/schemas/session';
import { jsonText } from '@countersign/shared/json/json';
import { problem, type Problem } from '@countersign/shared/schemas/parts/problem';
import type { ErrorCode } from '@countersign/shared/errors';
import { logWatch, noteShown } from './log-watch.ts';
import type { SharedTestEnvironment } from './test-environment.ts';

type Required<Name extends string, T> = undefined extends T ? { [K in Name]?: T } : { [K in Name]: T };
export type Args<P, Q, B> = Required<'params', P> & Required<'body', B> & { query?: Partial<Q> };
/** Which process takes the request (default 0), and headers on top of the usual ones; an empty text removes one. */
export interface Via {
  process?: number;
  headers?: Record<string, string>;
}
type Rest<P, Q, B> =
  Record<never, never> extends Args<P, Q, B> ? [args?: Args<P, Q, B>, via?: Via] : [args: Args<P, Q, B>, via?: Via];

/** A response checked against the contract: of the endpoint when `ok`, of `problem` otherwise. `text` is the raw body. */
export type Answer<R> =
  | { ok: true; status: number; headers: Headers; text: string; reply: R }
  | { ok: false; status: number; headers: Headers; text: string; problem: Problem };

/** The code of a refusal; “ok” of a success. */
export const codeOf = (answer: Answer<unknown>): string => (answer.ok ? 'ok' : answer.problem.code);

export interface Caller {
  /** The response, success or not. */
  attempt<P, Q, B, R>(route: Route<P, Q, B, R>, ...rest: Rest<P, Q, B>): Promise<Answer<R>>;
  /** The reply; a refusal fails the test with the full response. */
  call<P, Q, B, R>(route: Route<P, Q, B, R>, ...rest: Rest<P, Q, B>): Promise<R>;
  /** The problem; a success, or another code than the one named, fails the test. */
  refused<P, Q, B, R>(code: ErrorCode, route: Route<P, Q, B, R>, ...rest: Rest<P, Q, B>): Promise<Problem>;
}

interface Sent {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string | Buffer<ArrayBuffer> | undefined;
}

/** A caller that adds these headers to every request and sees every answer's headers. */
function caller(
  testEnv: SharedTestEnvironment,
  headers: () => Record<string, string>,
  seen: (headers: Headers) => void = () => undefined,
): Caller {
  const attempt: Caller['attempt'] = async (route, ...[args, via]) => {
    const { params, query, body } = (args ?? {}) as { params?: object; query?: object; body?: unknown };
    const sent = {
      method: route.method,
      url: testEnv.url(via?.process) + pathOf(route.path, params) + queryOf(query),
      headers: filled({ 'content-type': body === undefined ? '' : 'application/json', ...headers(), ...via?.headers }),
      body: body === undefined ? undefined : jsonText(body),
    };
    return checked(endpointOf(route), await send(sent, seen));
  };
  return {
    attempt,
    call: async (route, ...rest) => {
      const answer = await attempt(route, ...rest);
      if (!answer.ok) throw new Error(`${route.method} ${route.path} was refused: ${answer.text}`);
      return answer.reply;
    },
    refused: async (code, route, ...rest) => {
      const answer = await attempt(route, ...rest);
      if (answer.ok) throw new Error(`${route.method} ${route.path} was not refused with ${code}: ${answer.text}`);
      expect(answer.problem.code, answer.text).toBe(code);
      return answer.problem;
    },
  };
}

const filled = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''));

async function send({ method, url, headers, body }: Sent, seen: (headers: Headers) => void): Promise<Raw> {
  const response = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
  seen(response.headers);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

interface Raw {
  status: number;
  headers: Headers;
  text: string;
}

function pathOf(path: string, params: object = {}): string {
  return path.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(String((params as Record<string, unknown>)[name])),
  );
}

function queryOf(query: object = {}): string {
  const textOf = (value: unknown) => (value instanceof Date ? value.toISOString() : String(value));
  const pairs = Object.entries(query).map(([name, value]): [string, string] => [name, textOf(value)]);
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
}

/** Checks a response against the contract: status, content type, request id, and exactly the members of the schema. */
export function checked<R>(
  endpoint: { reply: z.ZodType<R> | null; status: number; otherStatuses?: readonly number[] },
  raw: Raw,
): Answer<R> {
  const { status, headers, text } = raw;
  const requestId = headers.get('x-request-id');
  expect(requestId, 'x-request-id').toMatch(/^[\w-]{1,64}$/);
  if (status >= 400) {
    expect(headers.get('content-type')).toMatch(/^application\/problem\+json/);
    const refusal = exactly(problem, text);
    expect(refusal).toMatchObject({ status, request_id: requestId });
    return { ok: false, status, headers, text, problem: refusal };
  }
  if (status === 204) {
    expect(text).toBe('');
    const nothing = (endpoint.reply === null ? undefined : endpoint.reply.parse(undefined)) as R;
    return { ok: true, status, headers, text, reply: nothing };
  }
  expect([endpoint.status, ...(endpoint.otherStatuses ?? [])], text).toContain(status);
  if (endpoint.reply instanceof z.ZodString) {
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="[\w.-]+"$/);
    return { ok: true, status, headers, text, reply: text as R };
  }
  expect(headers.get('content-type')).toMatch(/^application\/json/);
  if (endpoint.reply === null) throw new Error(`An answer where the contract has none: ${text}`);
  const reply = exactly(endpoint.reply, text);
  noteShown(reply);
  return { ok: true, status, headers, text, reply };
}

/** Parses JSON by the schema, and fails on a member that the schema does not name: nothing may leak. */
export function exactly<T>(schema: z.ZodType<T>, text: string): T {
  const value: unknown = JSON.parse(text);
  const parsed = schema.parse(value);
  expect(parsed).toEqual(value);
  return parsed;
}

export interface Wallet {
  readonly address: string;
  /** The Ed25519 signature over the bytes. */
  sign(message: Uint8Array): Uint8Array;
}

export function makeWallet(): Wallet {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  return { address: bs58.encode(Buffer.from(x, 'base64url')), sign: (message) => sign(null, message, privateKey) };
}

/** What a wallet returns for a challenge: the body of `verify`. */
export function signedChallenge(wallet: Wallet, given: { challenge_id: string; input: SignInInput }) {
  const { version, chainId, ...input } = given.input;
  const message = createSignInMessage({ ...input, version, chainId, address: wallet.address });
  return {
    challenge_id: given.challenge_id,
    address: wallet.address,
    signed_message: Buffer.from(message).toString('base64'),
    signature: Buffer.from(wallet.sign(message)).toString('base64'),
  };
}

/** A browser at the service's own address: stores cookies, sends the Origin; nobody is signed in yet. */
export interface Browser extends Caller {
  /** Cookies by name; a test may remove or add one. */
  readonly cookies: Map<string, string>;
  cookieHeader(): string;
}

export function browser(testEnv: SharedTestEnvironment): Browser {
  const cookies = new Map<string, string>();
  const cookieHeader = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const storeCookies = (headers: Headers) => {
    for (const line of headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      logWatch.secret(name, value);
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
  };
  const headers = () => ({ origin: testEnv.baseUrl, ...(cookies.size === 0 ? {} : { cookie: cookieHeader() }) });
  return { ...caller(testEnv, headers, storeCookies), cookies, cookieHeader };
}

/** A person who is signed in. */
export interface Person extends Browser {
  readonly testEnv: SharedTestEnvironment;
  readonly wallet: Wallet;
  readonly id: string;
  readonly session: Session;
}

/** Creates a wallet (or uses this one) and signs in with it over HTTP, as a browser does. */
export async function person(
  testEnv: SharedTestEnvironment,
  wallet: Wallet = makeWallet(),
  via: Via = {},
): Promise<Person> {
  const page = browser(testEnv);
  const given = await page.call(challenge, {}, via);
  const session = await page.call(verify, { body: signedChallenge(wallet, given) }, via);
  return { ...page, testEnv, wallet, id: session.user.id, session };
}

export function people(testEnv: SharedTestEnvironment, count: number): Promise<Person[]> {
  return Promise.all(Array.from({ length: count }, () => person(testEnv)));
}

type Bytes = string | Buffer<ArrayBuffer>;
type KeyedVia = Via & { idempotencyKey?: string };

/** A pipeline: submits to one project with one key. */
export interface Pipeline extends Caller {
  readonly projectId: string;
  readonly apiKey: string;
  /** Submits; `project_id` is filled in. */
  submit(item: Omit<Submission, 'project_id'>, via?: KeyedVia): Promise<Submitted>;
  /** Submits these bytes as they are. */
  submitRaw(body: Bytes, via?: KeyedVia): Promise<Answer<Submitted>>;
  /** Submits these bytes as a batch. */
  submitBatchRaw(body: Bytes, via?: KeyedVia): Promise<Answer<{ results: BatchResult[] }>>;
  read(itemId: string, via?: Via): Promise<PublicItem>;
}

export function pipeline(
  testEnv: SharedTestEnvironment,
  { projectId, apiKey }: { projectId: string; apiKey: string },
): Pipeline {
  const base = caller(testEnv, () => ({ 'x-api-key': apiKey }));
  const raw =
    <R>(route: Route<unknown, unknown, unknown, R>) =>
    async (body: Bytes, via: KeyedVia = {}) => {
      const key: Record<string, string> =
        via.idempotencyKey === undefined ? {} : { 'idempotency-key': via.idempotencyKey };
      const headers = { 'content-type': 'application/json', 'x-api-key': apiKey, ...key, ...via.headers };
      const url = testEnv.url(via.process) + route.path;
      return checked(endpointOf(route), await send({ method: 'POST', url, headers, body }, () => undefined));
    };
  const submitRaw: Pipeline['submitRaw'] = raw(submitItem);
  return {
    ...base,
    projectId,
    apiKey,
    submitRaw,
    submitBatchRaw: raw(submitBatch),
    submit: async (item, via) => {
      const answer = await submitRaw(jsonText({ project_id: projectId, ...item }), via);
      if (!answer.ok) throw new Error(`The submission was refused: ${answer.text}`);
      return answer.reply;
    },
    read: (itemId, via) => base.call(readItem, { params: { id: itemId } }, via),
  };
}
