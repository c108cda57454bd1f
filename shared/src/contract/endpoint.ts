// An endpoint: a route and its schemas together, as the server, the client and OpenAPI need it.
import type { Route } from '../routes/route.ts';
import type { EndpointSchemas } from '../schemas/parts/endpoint-schemas.ts';

export interface Endpoint<P = unknown, Q = unknown, B = unknown, R = unknown>
  extends Route<P, Q, B, R>, EndpointSchemas<P, Q, B, R> {}

/** The endpoint of a route and the schemas that belong to it. */
export const endpoint = <P, Q, B, R>(
  { method, path }: Route<P, Q, B, R>,
  schemas: EndpointSchemas<P, Q, B, R>,
): Endpoint<P, Q, B, R> => ({ method, path, ...schemas });
