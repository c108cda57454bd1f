// Reads a request body: typed as JSON, inflated, and never more of it than the limit (counted after inflation).
import type { Context } from 'koa';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Readable } from 'node:stream';
import { Refusal } from '@countersign/shared/errors';
import type { Reservation } from '../../limits/memory-budget.ts';

const INFLATERS = { gzip: createGunzip, deflate: createInflate, br: createBrotliDecompress } as const;

/** Whether a body was announced. */
export function hasBody({ req: { headers } }: Context): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/** How much room it needs: what it says itself, and where that is not known all that it may have. */
export function sizeOf(ctx: Context, limit: number): number {
  const length = Number(ctx.req.headers['content-length'] ?? Infinity);
  return encodingOf(ctx) === 'identity' ? Math.min(length, limit) : limit;
}

const encodingOf = (ctx: Context) => (ctx.req.headers['content-encoding'] ?? 'identity').trim().toLowerCase();

/**
 * The body's bytes, or null when none was sent. Until they are all there it gives way with its `place`. Errors:
 * `unsupported_media_type`, `payload_too_large`, `invalid_json`, `unavailable`.
 */
export async function readBody(ctx: Context, limit: number, reservation: Reservation | null): Promise<Buffer | null> {
  if (!hasBody(ctx)) return null;
  if (!ctx.is('application/json')) throw new Refusal('unsupported_media_type', 'Send content-type: application/json.');
  let collecting: Collecting | undefined;
  try {
    refuseTooLarge(ctx, limit);
    refuseGone(ctx);
    collecting = collect(inflated(ctx), { limit, first: firstBytes(ctx) });
    reservation?.makeEvictable(() => collecting?.drop(new Refusal('unavailable', EVICTED, { retryAfter: 1 })));
    return await collecting.bytes;
  } catch (error) {
    // The rest is read and dropped, or the connection could not be used for the next request.
    ctx.req.unpipe();
    ctx.req.resume();
    throw error instanceof Refusal ? error : refusalOf(error);
  } finally {
    reservation?.pin();
  }
}

/** One that says itself that it is too large need not be read to know. */
function refuseTooLarge(ctx: Context, limit: number): void {
  if (encodingOf(ctx) === 'identity' && Number(ctx.req.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
}

/** A client that left while it was found out who it is sends nothing more, and is not heard of again. */
function refuseGone({ req }: Context): void {
  if (req.destroyed && !req.readableEnded) throw endedTooEarly();
}

const endedTooEarly = () => new Error('the body ended too early');

const EVICTED = 'The body came too slowly while others waited. Send it again.';

function inflated(ctx: Context): Readable {
  const encoding = encodingOf(ctx);
  if (encoding === 'identity') return ctx.req;
  if (!Object.hasOwn(INFLATERS, encoding)) {
    throw new Refusal('unsupported_media_type', 'Send the body plain, or as gzip, deflate or br.');
  }
  const inflater = INFLATERS[encoding as keyof typeof INFLATERS]();
  ctx.req.on('error', (error) => inflater.destroy(error));
  return ctx.req.pipe(inflater);
}

/** Begun with so many bytes where it is not known how many come. */
const UNKNOWN_BYTES = 16 * 1024;

/** What it says itself needs no second, larger piece of memory later. */
function firstBytes(ctx: Context): number {
  const length = ctx.req.headers['content-length'];
  return length !== undefined && encodingOf(ctx) === 'identity' ? Number(length) : UNKNOWN_BYTES;
}

interface Collecting {
  bytes: Promise<Buffer>;
  /** Keeps nothing of it, and fails with this. */
  drop(reason: unknown): void;
}

/** All that comes, in one piece of memory: a body in very many small pieces shall not weigh more than it has bytes. */
function collect(stream: Readable, { limit, first }: { limit: number; first: number }): Collecting {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  let bytes: Buffer = Buffer.allocUnsafe(first);
  let length = 0;
  const append = (chunk: Buffer) => {
    if (length + chunk.length > limit) {
      drop(tooLarge(limit));
      return;
    }
    bytes = grow(bytes, { length, more: chunk.length, limit });
    length += chunk.copy(bytes, length);
  };
  const drop = (reason: unknown) => {
    stream.off('data', append);
    bytes = NOTHING;
    reject(reason);
  };
  stream.on('data', append);
  stream.once('end', () => resolve(bytes.subarray(0, length)));
  stream.once('error', drop);
  stream.once('close', () => drop(endedTooEarly()));
  return { bytes: promise, drop };
}

const NOTHING = Buffer.alloc(0);

function grow(bytes: Buffer, { length, more, limit }: { length: number; more: number; limit: number }): Buffer {
  if (length + more <= bytes.length) return bytes;
  const larger = Buffer.allocUnsafe(Math.min(limit, Math.max(2 * bytes.length, length + more)));
  bytes.copy(larger, 0, 0, length);
  return larger;
}

const tooLarge = (limit: number) =>
  new Refusal('payload_too_large', `Send at most ${Math.floor(limit / 1024)} KiB, counted after inflation.`);

function refusalOf(error: unknown): Refusal {
  const { code } = error as { code?: string };
  if (code?.startsWith('Z_') || code?.startsWith('ERR_')) {
    return new Refusal('invalid_json', 'The body does not match its content-encoding.');
  }
  return new Refusal('invalid_json', 'The body ended too early. Send it again.');
}
