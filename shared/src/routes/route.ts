// A route: where an endpoint is, without its schemas, of which a page and a client need only the types.
import type { EndpointSchemas } from '../schemas/parts/endpoint-schemas.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

export interface Route<P = unknown, Q = unknown, B = unknown, R = unknown> {
  readonly method: Method;
  /** Path with `:name` parameters. */
  readonly path: string;
  /** Never set: it carries the types of the schemas. */
  readonly types?: { params: P; query: Q; body: B; reply: R };
}

/** The route of an endpoint with these schemas. */
export type RouteOf<Schemas> =
  Schemas extends EndpointSchemas<infer P, infer Q, infer B, infer R> ? Route<P, Q, B, R> : never;
