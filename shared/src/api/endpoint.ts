// One endpoint object per route: bound by the server, called by the web and the client, read by OpenAPI. No path or schema is typed twice.
import type { z } from 'zod';
import type { ErrorCode } from '../errors.ts';
import type { Scope } from '../enums.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** Who may call: nobody in particular, a signed-in person (cookie), a pipeline (x-api-key), or whoever signs the body. */
export type Auth = 'none' | 'session' | 'api_key' | 'signature';

export interface Endpoint<P = unknown, Q = unknown, B = unknown, R = unknown> {
  readonly method: Method;
  /** Path with `:name` parameters. */
  readonly path: string;
  readonly auth: Auth;
  /** What a key has to be good for; null where none is asked for (K8). */
  readonly scope: Scope | null;
  /** One sentence for OpenAPI and the docs page. */
  readonly summary: string;
  /** Markdown that says what the schemas cannot; '' when the summary says it all. */
  readonly description: string;
  /** Status of the success answer; 200 unless stated. 204 has no body. */
  readonly status: number;
  /** Other statuses that a success can have. */
  readonly otherStatuses: readonly number[];
  readonly params: z.ZodType<P> | null;
  readonly query: z.ZodType<Q> | null;
  /** Request headers that are read, by lower-case name. */
  readonly headers: z.ZodType | null;
  readonly body: z.ZodType<B> | null;
  readonly reply: z.ZodType<R> | null;
  /** A GET that is recorded: answered to our own page and to who types its address, and not to HEAD (A22). */
  readonly recordsAccess: boolean;
  /** Refusals of its own, beyond those that its `auth` and its body bring. */
  readonly errors: readonly ErrorCode[];
}

/** Who may call; a key's scope goes with it, so that a route without one does not compile. */
type CallerRequirement = { auth: Exclude<Auth, 'api_key'>; scope?: never } | { auth: 'api_key'; scope: Scope };

type Definition<P, Q, B, R> = CallerRequirement & {
  method: Method;
  path: string;
  summary: string;
  description?: string;
  status?: number;
  otherStatuses?: readonly number[];
  params?: z.ZodType<P>;
  query?: z.ZodType<Q>;
  headers?: z.ZodType;
  body?: z.ZodType<B>;
  reply?: z.ZodType<R>;
  recordsAccess?: boolean;
  errors?: readonly ErrorCode[];
};

/** Declares an endpoint; the parts left out are `null` and their values `undefined`. */
export function endpoint<P = undefined, Q = undefined, B = undefined, R = undefined>(
  definition: Definition<P, Q, B, R>,
): Endpoint<P, Q, B, R> {
  return {
    method: definition.method,
    path: definition.path,
    auth: definition.auth,
    scope: definition.scope ?? null,
    summary: definition.summary,
    description: definition.description ?? '',
    status: definition.status ?? 200,
    otherStatuses: definition.otherStatuses ?? [],
    params: definition.params ?? null,
    query: definition.query ?? null,
    headers: definition.headers ?? null,
    body: definition.body ?? null,
    reply: definition.reply ?? null,
    recordsAccess: definition.recordsAccess ?? false,
    errors: definition.errors ?? [],
  };
}
