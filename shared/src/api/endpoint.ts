// One endpoint object per route: bound by the server, called by the web, read by OpenAPI. No path or schema is typed twice.
import type { z } from 'zod';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** Who may call: nobody in particular, a signed-in person (cookie), or a pipeline (x-api-key). */
export type Auth = 'none' | 'session' | 'api_key';

export interface Endpoint<P = unknown, Q = unknown, B = unknown, R = unknown> {
  readonly method: Method;
  /** Path with `:name` parameters. */
  readonly path: string;
  readonly auth: Auth;
  /** One sentence for OpenAPI and the docs page. */
  readonly summary: string;
  /** Status of the success answer; 200 unless stated. 204 has no body. */
  readonly status: number;
  readonly params: z.ZodType<P> | null;
  readonly query: z.ZodType<Q> | null;
  readonly body: z.ZodType<B> | null;
  readonly reply: z.ZodType<R> | null;
}

interface Definition<P, Q, B, R> {
  method: Method;
  path: string;
  auth: Auth;
  summary: string;
  status?: number;
  params?: z.ZodType<P>;
  query?: z.ZodType<Q>;
  body?: z.ZodType<B>;
  reply?: z.ZodType<R>;
}

/** Declares an endpoint; the parts left out are `null` and their values `undefined`. */
export function endpoint<P = undefined, Q = undefined, B = undefined, R = undefined>(
  definition: Definition<P, Q, B, R>,
): Endpoint<P, Q, B, R> {
  return {
    method: definition.method,
    path: definition.path,
    auth: definition.auth,
    summary: definition.summary,
    status: definition.status ?? 200,
    params: definition.params ?? null,
    query: definition.query ?? null,
    body: definition.body ?? null,
    reply: definition.reply ?? null,
  };
}
