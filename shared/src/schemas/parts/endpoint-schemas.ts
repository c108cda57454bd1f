// Declares what an endpoint accepts and answers; shared/src/routes/ says where it is.
import type { z } from 'zod';
import type { Scope } from '../../enums.ts';
import type { ErrorCode } from '../../errors.ts';

/**
 * Who may call: anyone, a signed-in user (cookie), a pipeline (x-api-key), a program that may send the key as a bearer token
 * instead, or a sender that signs the body.
 */
export type Auth = 'none' | 'session' | 'api_key' | 'bearer' | 'signature';

/**
 * The schemas of an endpoint, and what only the server and the documentation need of it. Its method and path are those of
 * the route with the same name in shared/src/routes/.
 */
export interface EndpointSchemas<P = unknown, Q = unknown, B = unknown, R = unknown> {
  readonly auth: Auth;
  /** The scope that the API key must have; null when no key is required, or when it depends on the body (K8). */
  readonly scope: Scope | null;
  /** One sentence for OpenAPI and the docs page. */
  readonly summary: string;
  /** Markdown for what the schemas cannot express; '' when the summary is enough. */
  readonly description: string;
  /** Status of the success response; 200 by default. 204 has no body. */
  readonly status: number;
  /** Other statuses that a successful response can have. */
  readonly otherStatuses: readonly number[];
  readonly params: z.ZodType<P> | null;
  readonly query: z.ZodType<Q> | null;
  /** Request headers that the endpoint reads, by lower-case name. */
  readonly headers: z.ZodType | null;
  readonly body: z.ZodType<B> | null;
  readonly reply: z.ZodType<R> | null;
  /** A GET whose access is recorded: allowed for our own page and direct navigation, not for HEAD (A22). */
  readonly recordsAccess: boolean;
  /** Refusals specific to this endpoint, in addition to those of its `auth` and its body. */
  readonly errors: readonly ErrorCode[];
}

/** Who may call. An API key requires a scope, so a route without one does not compile. */
type CallerRequirement = { auth: Exclude<Auth, 'api_key'>; scope?: never } | { auth: 'api_key'; scope: Scope };

type Definition<P, Q, B, R> = CallerRequirement & {
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

/** Declares the schemas of an endpoint; omitted parts are `null`, with `undefined` values. */
export function endpointSchemas<P = undefined, Q = undefined, B = undefined, R = undefined>(
  definition: Definition<P, Q, B, R>,
): EndpointSchemas<P, Q, B, R> {
  return {
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
