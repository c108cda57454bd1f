// Sends a response: its status, its bytes, and the memory reserved until the client has received them (MB1).
import type { Context } from 'koa';
import { jsonText, RawJson } from '@countersign/shared/json/json';
import { EXPECTED } from '../../limits/memory-limits.ts';
import type { Reservation } from '../../limits/memory-budget.ts';
import { resizeToResponse } from '../admission/memory-reservation.ts';

/** A response with another status than the default of its endpoint. */
export class ReplyWithStatus<R> {
  readonly status: number;
  readonly value: R;
  /** The request changed nothing, although its method is not GET: the response may be refused (MB1). */
  readonly isRead: boolean;
  constructor(status: number, value: R, { isRead = false } = {}) {
    this.status = status;
    this.value = value;
    this.isRead = isRead;
  }
}

/** A response that takes a while; the resources of its request are released meanwhile. */
export class DeferredReply<R> {
  readonly answer: () => Promise<R>;
  constructor(answer: () => Promise<R>) {
    this.answer = answer;
  }
}

/** Texts from this size on are held only as the bytes to send, not as a string too. */
const LARGE_BYTES = 16 * 1024;

/** Sends a value as JSON, or an empty response without one. Errors: `unavailable`, only for reads. */
export function reply(
  ctx: Context,
  reservation: Reservation,
  { defaultStatus, answer }: { defaultStatus: number; answer: unknown },
): void {
  const status = answer instanceof ReplyWithStatus ? answer.status : defaultStatus;
  const value: unknown = answer instanceof ReplyWithStatus ? answer.value : answer;
  const isRead = ctx.method === 'GET' || (answer instanceof ReplyWithStatus && answer.isRead);
  ctx.set('cache-control', 'no-store');
  if (value === undefined) {
    resizeToResponse(ctx, reservation, { bytes: 0, isRead });
    ctx.status = answer instanceof ReplyWithStatus ? status : 204;
    // For any other status than 204, Koa would write its name as the content.
    if (ctx.status !== 204) ctx.body = '';
    ctx.remove('content-type');
    return;
  }
  const text = value instanceof RawJson ? bytesOf(value) : jsonText(value);
  const bytes = Buffer.isBuffer(text) ? EXPECTED.small : Buffer.byteLength(text);
  resizeToResponse(ctx, reservation, { bytes, isRead });
  ctx.status = status;
  ctx.body = typeof text === 'string' && text.length >= LARGE_BYTES ? Buffer.from(text) : text;
  ctx.type = 'application/json';
}

/** Responses that are the same for all clients: in memory once, however many are unread. */
const known = new WeakMap<RawJson, Buffer>();

function bytesOf(raw: RawJson): Buffer {
  const bytes = known.get(raw) ?? Buffer.from(raw.text);
  known.set(raw, bytes);
  return bytes;
}
