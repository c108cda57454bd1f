// Reads a request body: typed as JSON, inflated, and never more of it than the limit (counted after inflation).
import type { Context } from 'koa';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Readable } from 'node:stream';
import getRawBody from 'raw-body';
import { Refusal } from '@countersign/shared/errors';

const INFLATERS = { gzip: createGunzip, deflate: createInflate, br: createBrotliDecompress } as const;

/** The body's bytes, or null when none was sent. Errors: `unsupported_media_type`, `payload_too_large`, `invalid_json`. */
export async function readBody(ctx: Context, limit: number): Promise<Buffer | null> {
  const { headers } = ctx.req;
  const none = headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0';
  if (none) return null;
  if (!ctx.is('application/json')) throw new Refusal('unsupported_media_type', 'Send content-type: application/json.');
  try {
    return await getRawBody(inflated(ctx), { limit });
  } catch (error) {
    // The rest is read and dropped, or the connection could not be used for the next request.
    ctx.req.unpipe();
    ctx.req.resume();
    throw error instanceof Refusal ? error : refusalOf(error, limit);
  }
}

function inflated(ctx: Context): Readable {
  const encoding = (ctx.req.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity') return ctx.req;
  if (!Object.hasOwn(INFLATERS, encoding)) {
    throw new Refusal('unsupported_media_type', 'Send the body plain, or as gzip, deflate or br.');
  }
  const inflater = INFLATERS[encoding as keyof typeof INFLATERS]();
  ctx.req.on('error', (error) => inflater.destroy(error));
  return ctx.req.pipe(inflater);
}

function refusalOf(error: unknown, limit: number): Refusal {
  const { type, code } = error as { type?: string; code?: string };
  if (type === 'entity.too.large') {
    return new Refusal('payload_too_large', `Send at most ${Math.floor(limit / 1024)} KiB, counted after inflation.`);
  }
  if (code?.startsWith('Z_') || code?.startsWith('ERR_')) {
    return new Refusal('invalid_json', 'The body does not match its content-encoding.');
  }
  return new Refusal('invalid_json', 'The body ended too early. Send it again.');
}
