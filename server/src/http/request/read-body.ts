// Reads a request body: checks its type, decompresses it, and enforces the size limit (counted after decompression).
import type { Context } from 'koa';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Readable } from 'node:stream';
import { Refusal } from '@countersign/shared/errors';
import type { Reservation } from '../../limits/memory-budget.ts';

const INFLATERS = { gzip: createGunzip, deflate: createInflate, br: createBrotliDecompress } as const;

/** Whether the request announced a body. */
export function hasBody({ req: { headers } }: Context): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/** How much memory it needs: its announced length, or the limit when that is unknown. */
export function sizeOf(ctx: Context, limit: number): number {
  const length = Number(ctx.req.headers['content-length'] ?? Infinity);
  return encodingOf(ctx) === 'identity' ? Math.min(length, limit) : limit;
}

const encodingOf = (ctx: Context) => (ctx.req.headers['content-encoding'] ?? 'identity').trim().toLowerCase();

/**
 * The bytes of the body, or null when none was sent. Until they are complete, its reservation may be revoked. Errors:
 * `unsupported_media_type`, `payload_too_large`, `invalid_json`, `unavailable`.
 */
export async function readBody(ctx: Context, limit: number, reservation: Reservation | null): Promise<Buffer | null> {
  if (!hasBody(ctx)) return null;
  if (!ctx.is('application/json')) throw new Refusal('unsupported_media_type', 'Send content-type: application/json.');
  let stream: Readable | undefined;
  try {
    refuseTooLarge(ctx, limit);
    refuseGone(ctx);
    stream = inflated(ctx);
    const collecting = collect(stream, { limit, first: firstBytes(ctx) });
    reservation?.makeEvictable(() => collecting.drop(new Refusal('unavailable', EVICTED, { retryAfter: 1 })));
    return await collecting.bytes;
  } catch (error) {
    // The rest is read and discarded, otherwise the connection could not be used for the next request.
    ctx.req.unpipe();
    ctx.req.resume();
    // It would decompress everything that it was given: 128 MiB from 180 bytes, with nobody left to read it.
    if (stream !== ctx.req) stream?.destroy();
    throw error instanceof Refusal ? error : refusalOf(error);
  } finally {
    reservation?.pin();
  }
}

/** A body with a too large announced length is refused without reading it. */
function refuseTooLarge(ctx: Context, limit: number): void {
  if (encodingOf(ctx) === 'identity' && Number(ctx.req.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
}

/** A client that disconnected during authentication sends nothing more, and emits no further event. */
function refuseGone({ req }: Context): void {
  if (req.destroyed && !req.readableEnded) throw endedTooEarly();
}

const endedTooEarly = () => new Error('the body ended too early');

const EVICTED = 'The body arrived too slowly while others waited. Send it again.';

function inflated(ctx: Context): Readable {
  const encoding = encodingOf(ctx);
  if (encoding === 'identity') return ctx.req;
  if (!Object.hasOwn(INFLATERS, encoding)) {
    throw new Refusal('unsupported_media_type', 'Send the body uncompressed, or with gzip, deflate or br.');
  }
  const inflater = INFLATERS[encoding as keyof typeof INFLATERS]();
  ctx.req.on('error', (error) => inflater.destroy(error));
  return ctx.req.pipe(inflater);
}

/** The initial buffer size for a body of unknown length. */
const UNKNOWN_BYTES = 16 * 1024;

/** A known length avoids a second, larger buffer later. */
function firstBytes(ctx: Context): number {
  const length = ctx.req.headers['content-length'];
  return length !== undefined && encodingOf(ctx) === 'identity' ? Number(length) : UNKNOWN_BYTES;
}

interface Collecting {
  bytes: Promise<Buffer>;
  /** Discards the collected data, and fails with this reason. */
  drop(reason: unknown): void;
}

/** Collects the stream in one buffer: a body in many small chunks must not take more memory than its size. */
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
  new Refusal('payload_too_large', `Send at most ${Math.floor(limit / 1024)} KiB, counted after decompression.`);

function refusalOf(error: unknown): Refusal {
  const { code } = error as { code?: string };
  if (code?.startsWith('Z_') || code?.startsWith('ERR_')) {
    return new Refusal('invalid_json', 'The body does not match its content-encoding.');
  }
  return new Refusal('invalid_json', 'The body ended too early. Send it again.');
}
