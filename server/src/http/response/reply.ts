// An answer on its way: its status, its bytes, and the room they take until the client has them (MB1).
import type { Context } from 'koa';
import { jsonText, RawJson } from '@countersign/shared/json/json';
import { EXPECTED } from '../../limits/memory-limits.ts';
import type { Reservation } from '../../limits/memory-budget.ts';
import { resizeToResponse } from '../admission/memory-reservation.ts';

/** An answer with another status than its endpoint's usual one. */
export class ReplyWithStatus<R> {
  readonly status: number;
  readonly value: R;
  constructor(status: number, value: R) {
    this.status = status;
    this.value = value;
  }
}

/** An answer that is waited for; what it took to ask for it is let go meanwhile. */
export class DeferredReply<R> {
  readonly answer: () => Promise<R>;
  constructor(answer: () => Promise<R>) {
    this.answer = answer;
  }
}

/** Bytes from which a text is kept as they are sent, and not as text besides. */
const LARGE_BYTES = 16 * 1024;

/** Sends a value as JSON, or nothing where there is none. Errors: `unavailable`, for reading alone. */
export function reply(
  ctx: Context,
  reservation: Reservation,
  { defaultStatus, answer }: { defaultStatus: number; answer: unknown },
): void {
  const status = answer instanceof ReplyWithStatus ? answer.status : defaultStatus;
  const value: unknown = answer instanceof ReplyWithStatus ? answer.value : answer;
  ctx.set('cache-control', 'no-store');
  if (value === undefined) {
    resizeToResponse(ctx, reservation, 0);
    ctx.status = 204;
    return;
  }
  const text = value instanceof RawJson ? bytesOf(value) : jsonText(value);
  resizeToResponse(ctx, reservation, Buffer.isBuffer(text) ? EXPECTED.small : Buffer.byteLength(text));
  ctx.status = status;
  ctx.body = typeof text === 'string' && text.length >= LARGE_BYTES ? Buffer.from(text) : text;
  ctx.type = 'application/json';
}

/** What is the same for everybody, in memory once however many have not taken it. */
const known = new WeakMap<RawJson, Buffer>();

function bytesOf(raw: RawJson): Buffer {
  const bytes = known.get(raw) ?? Buffer.from(raw.text);
  known.set(raw, bytes);
  return bytes;
}
