// The public API: pipelines submit items and read them back.
import type { Context } from 'koa';
import { readItem, submitItem } from '@countersign/shared/api/public';
import { Refusal } from '@countersign/shared/errors';
import { sha256Hex } from '../../crypto/tokens.ts';
import { presentPublicItem, presentSubmitted } from '../../presenters/item.ts';
import { readPublicItem } from '../../usecases/queries/read-item.ts';
import type { Services } from '../../usecases/services.ts';
import { submit } from '../../usecases/submit.ts';
import { header, type Binder } from '../route.ts';

export function bindPublic(bind: Binder, services: Services): void {
  bind.pipeline(submitItem, async ({ actor, body, raw, bytes, ctx }) => {
    if (body.project_id.toLowerCase() !== actor.projectId) {
      throw new Refusal('project_mismatch', 'Send the project_id that this key belongs to.');
    }
    const metadata = body.metadata && { value: body.metadata, raw: raw.get('metadata') ?? '{}' };
    const result = await submit(services, actor, {
      input: { value: body.input, raw: raw.get('input') ?? 'null' },
      suggestion: { raw: raw.get('suggestion') ?? 'null' },
      metadata: metadata ?? null,
      confidence: body.confidence,
      riskFlags: body.risk_flags ?? [],
      idempotency: idempotencyOf(ctx, bytes),
    });
    if (result.replayed) ctx.set('idempotent-replayed', 'true');
    return presentSubmitted(result.item, result.decision);
  });

  bind.pipeline(readItem, async ({ actor, params }) => {
    const { item, decision } = await readPublicItem(services, actor, params.id);
    return presentPublicItem(item, decision);
  });
}

/** The Idempotency-Key, as a bare token or a quoted string, with the digest of the body it came with. Errors: `invalid_header`. */
function idempotencyOf(ctx: Context, bytes: Buffer | null): { key: string; bodySha256: string } | null {
  const text = header(ctx, 'idempotency-key');
  if (text === undefined) return null;
  const key = /^"(.*)"$/.exec(text)?.[1] ?? text;
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw new Refusal('invalid_header', 'An Idempotency-Key has 1 to 255 printable ASCII characters.');
  }
  return { key, bodySha256: sha256Hex(bytes ?? '') };
}
