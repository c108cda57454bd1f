// Compresses JSON responses to pages, but none that has a secret beside text of somebody else (A23).
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Context } from 'koa';
import type { Endpoint } from '@countersign/shared/contract/endpoint';
import type { Route } from '@countersign/shared/routes/route';
import * as changes from '@countersign/shared/routes/changes';
import * as deliveries from '@countersign/shared/routes/deliveries';
import * as inbound from '@countersign/shared/routes/inbound';
import * as onboarding from '@countersign/shared/routes/onboarding';
import * as projects from '@countersign/shared/routes/projects';
import * as webhook from '@countersign/shared/routes/webhook';
import { readOpenApi } from '@countersign/shared/routes/openapi';

/** Smaller responses fit in one or two packets as they are. */
const LEAST_BYTES = 2048;

/**
 * Responses with a key, a token, a webhook secret, or a URL that may contain one. Their length, compressed, would tell
 * who watches the network how much of a text of theirs equals the secret (BREACH).
 */
const SECRET: ReadonlySet<string> = new Set(
  [
    webhook.readWebhook,
    webhook.listEndpoints,
    inbound.listInboundSources,
    onboarding.readOnboarding,
    deliveries.readDelivery,
    projects.listProjects,
    projects.readProject,
    // It shows earlier URLs, and texts of others.
    changes.listChanges,
  ].map(nameOf),
);

function nameOf({ method, path }: Pick<Route, 'method' | 'path'>): string {
  return `${method} ${path}`;
}

/**
 * Whether its responses may be compressed: what pages read, without secrets, and the description of the public API. The
 * public API itself answers as before: a submission must not wait for compression.
 */
export function mayCompress(endpoint: Pick<Endpoint, 'method' | 'path' | 'auth'>): boolean {
  if (nameOf(endpoint) === nameOf(readOpenApi)) return true;
  return endpoint.method === 'GET' && endpoint.auth === 'session' && !SECRET.has(nameOf(endpoint));
}

type Compress = (bytes: Buffer | string) => Promise<Buffer>;

/** In order of preference. Higher levels cost several times the time and save 3 % of a list of items. */
const ENCODINGS: Record<string, Compress> = {
  br: (
    (brotli) => (bytes) =>
      brotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })
  )(promisify(brotliCompress)),
  gzip: (
    (zip) => (bytes) =>
      zip(bytes, { level: 4 })
  )(promisify(gzip)),
};

/** The same bytes are sent to everybody: compressed once. */
const known = new WeakMap<Buffer, Map<string, Promise<Buffer>>>();

/**
 * Compresses the body of the response where the endpoint allows it, the client accepts it, and it is worth it. An answer
 * for a session is compressed for our own pages alone, by what the browser says: another site can make a browser
 * ask, with texts of its choice, but never as our page.
 */
export async function compressResponse(
  ctx: Context,
  endpoint: Pick<Endpoint, 'method' | 'path' | 'auth'>,
): Promise<void> {
  if (!mayCompress(endpoint)) return;
  ctx.vary('accept-encoding');
  if (endpoint.auth === 'session') {
    ctx.vary('sec-fetch-site');
    if (ctx.get('sec-fetch-site') !== 'same-origin') return;
  }
  const { body } = ctx;
  if (!(typeof body === 'string' || Buffer.isBuffer(body)) || ctx.length === undefined) return;
  if (ctx.length < LEAST_BYTES) return;
  const chosen = encodingFor(ctx, Object.keys(ENCODINGS));
  const compress = ENCODINGS[chosen ?? ''];
  if (chosen === undefined || compress === undefined) return;
  ctx.body = await (endpoint.auth === 'none' && Buffer.isBuffer(body) ? once(body, chosen, compress) : compress(body));
  ctx.set('content-encoding', chosen);
}

/**
 * The first of these encodings that the client accepts. Browsers name Brotli last and all alike, so their order is not a
 * preference.
 */
export const encodingFor = (ctx: Context, offered: readonly string[]): string | undefined =>
  offered.find((encoding) => ctx.acceptsEncodings(encoding) === encoding);

function once(body: Buffer, encoding: string, compress: Compress): Promise<Buffer> {
  const made = known.get(body) ?? new Map<string, Promise<Buffer>>();
  known.set(body, made);
  const bytes = made.get(encoding) ?? compress(body);
  made.set(encoding, bytes);
  return bytes;
}
