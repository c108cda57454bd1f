// Reads and validates the Idempotency-Key of a request.
import type { Context } from 'koa';
import { idempotencyKey } from '@countersign/shared/schemas/parts/idempotency-key';
import { Refusal } from '@countersign/shared/errors';
import { header } from '../admission/callers.ts';

/** Null without the header. Errors: `invalid_header`. */
export function idempotencyKeyOf(ctx: Context): string | null {
  const text = header(ctx, 'idempotency-key');
  if (text === undefined) return null;
  const doubled = (ctx.req.headersDistinct['idempotency-key']?.length ?? 0) > 1;
  const key = idempotencyKey.safeParse(text);
  if (!key.success || doubled)
    throw new Refusal('invalid_header', 'An Idempotency-Key has 1 to 255 printable ASCII characters.');
  return key.data;
}
