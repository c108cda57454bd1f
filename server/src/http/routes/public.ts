// The public API: pipelines submit, read and list items, and catch up on decisions. Its OpenAPI document.
import type { Context } from 'koa';
import type { BatchResult, Submitted } from '@countersign/shared/schemas/public';
import { LIMITS } from '@countersign/shared/limits';
import {
  listEvents,
  listItems,
  readItem,
  submitBatch as submitBatchEndpoint,
  submitItem,
  withdrawItem,
} from '@countersign/shared/routes/public';
import { Refusal } from '@countersign/shared/errors';
import type { OpenApi } from '@countersign/shared/schemas/openapi';
import { readOpenApi } from '@countersign/shared/routes/openapi';
import { sha256Hex } from '../../crypto/tokens.ts';
import { isOpen } from '../../domain/items/item.ts';
import { presentEvent, presentPublicItem, presentSubmitted } from '../../presenters/item.ts';
import { listPublicEvents } from '../../usecases/decisions/list-public-events.ts';
import { listPublicItems } from '../../usecases/items/list-public-items.ts';
import { readPublicItem } from '../../usecases/items/read-item.ts';
import type { ApiKeyActor, Services } from '../../usecases/services.ts';
import type { Stored } from '../../usecases/items/intake.ts';
import { type Idempotency, submitBatch } from '../../usecases/items/submit.ts';
import type { Waiter } from '../../usecases/items/waiters.ts';
import { type PipelineCall, readOrWait, submitOne, waitFor, withdrawOne } from '../pipeline/items.ts';
import { idempotencyKeyOf } from '../request/idempotency-key.ts';
import { toProblem } from '../response/problem.ts';
import { limitItems } from '../admission/rate-limit.ts';
import { preferredWait } from '../request/prefer-wait.ts';
import { readBatch, refuseOtherProject, toSubmitInput } from '../request/read-submission.ts';
import { EXPECTED_WAIT, setExpectedWait } from '../response/expected-wait.ts';
import { DeferredReply } from '../response/reply.ts';
import { header, recheckKey, traceOf } from '../admission/callers.ts';
import type { Binder } from '../route.ts';
import { rawJson } from '@countersign/shared/json/json';
import { openApiDocument } from '../openapi/document.ts';

export function bindPublic(bind: Binder, services: Services): void {
  bind.pipeline(submitItem, async ({ actor, body, raw, bytes, ctx }) => {
    refuseOtherProject(body.project_id, actor);
    const input = { ...toSubmitInput(body, raw), ...traceOf(ctx), idempotency: idempotencyOf(ctx, bytes) };
    const seconds = preferredWait(header(ctx, 'prefer'));
    if (seconds === null) return submitOne(services, { actor, ctx }, input);
    const waiter = services.waiters.take(actor);
    const answer = await submitOne(services, { actor, ctx }, input).catch((error: unknown) => {
      waiter?.leave();
      throw error;
    });
    // Without a free waiting slot the item is stored all the same, and the response is immediate (PW1).
    if (waiter !== null || !isOpen(answer.status)) ctx.set('preference-applied', `wait=${seconds}`);
    return new DeferredReply(() => untilFinal(services, { actor, ctx }, { answer, waiter, seconds }));
  });

  bind.pipeline(readItem, ({ actor, params: { id }, query: { wait = 0 }, ctx }) =>
    readOrWait(services, { actor, ctx }, { id, seconds: wait }),
  );

  bind.pipeline(withdrawItem, ({ actor, params: { id }, body, ctx }) =>
    withdrawOne(services, { actor, ctx }, { id, reason: body?.reason }),
  );

  bindBatch(bind, services);
  bindLists(bind, services);
}

/**
 * The submitted item once it is final or the time is over; immediately if there is nothing to wait for, or no free
 * slot.
 */
async function untilFinal(
  services: Services,
  { actor, ctx }: PipelineCall,
  { answer, waiter, seconds }: { answer: Submitted; waiter: Waiter | null; seconds: number },
): Promise<Submitted> {
  if (waiter === null || !isOpen(answer.status)) {
    waiter?.leave();
    return answer;
  }
  await waitFor(waiter, ctx, { id: answer.id, seconds });
  // The item is stored, so the sender gets a response regardless of what happens during the wait. A key that was revoked
  // meanwhile gets nothing more than that.
  const now = await recheckKey(services, ctx, true)
    .then(() => readPublicItem(services, actor, answer.id))
    .catch(() => null);
  if (now === null) return answer;
  const present = presentSubmitted(now.item, now.decision);
  if (!isOpen(present.status)) ctx.remove(EXPECTED_WAIT);
  return present;
}

function bindBatch(bind: Binder, services: Services): void {
  bind.pipelineBytes(submitBatchEndpoint, LIMITS.batchBytes, async ({ actor, bytes, ctx }) => {
    const idempotency = idempotencyOf(ctx, bytes);
    const parsed = await readBatch(bytes, actor);
    await limitItems(services, ctx, { actor, items: parsed.length });
    const trace = traceOf(ctx);
    const items = parsed.flatMap((one) => (one instanceof Refusal ? [] : { ...one, ...trace }));
    const { stored, refused } = await storeBatch(services, actor, { items, idempotency });
    if (stored?.replayed) ctx.set('idempotent-replayed', 'true');
    const answers = (stored?.results ?? []).map(({ item, decision }) => presentSubmitted(item, decision));
    await setExpectedWait(services, { projectId: actor.projectId, ctx }, answers);
    const remaining = answers.values();
    let valid = 0;
    return {
      results: parsed.map((one, index): BatchResult => {
        const refusal = one instanceof Refusal ? one : (refused ?? stored?.refused?.get(valid++) ?? null);
        if (refusal !== null) return { index, error: toProblem(refusal, ctx) };
        const answer = remaining.next().value;
        if (answer === undefined) throw new Error('A batch returned fewer results than items.');
        return { index, ...answer };
      }),
    };
  });
}

/** A refusal because of an archived project applies to each item, in its place (AR1). */
async function storeBatch(
  services: Services,
  actor: ApiKeyActor,
  batch: Parameters<typeof submitBatch>[2],
): Promise<{ stored: Stored | null; refused: Refusal | null }> {
  // Without a valid item, a key is looked up all the same: it may be that of another body (I2).
  if (batch.items.length === 0 && batch.idempotency === null) return { stored: null, refused: null };
  try {
    return { stored: await submitBatch(services, actor, batch), refused: null };
  } catch (error) {
    if (error instanceof Refusal && error.code === 'forbidden') return { stored: null, refused: error };
    throw error;
  }
}

function bindLists(bind: Binder, services: Services): void {
  bind.pipeline(listItems, async ({ actor, query: { status, since, until, limit, after, cursor } }) => {
    const page = await listPublicItems(services, actor, { status, since, until, limit, after: after ?? cursor });
    return {
      data: page.rows.map(({ item, decision }) => presentPublicItem(item, decision)),
      has_more: page.nextCursor !== null,
      next_cursor: page.nextCursor,
    };
  });

  bind.pipeline(listEvents, async ({ actor, query: { after, limit } }) => {
    const page = await listPublicEvents(services, actor, { after, limit });
    return { data: page.rows.map(presentEvent), has_more: page.hasMore, next_cursor: page.nextCursor };
  });
}

/** The Idempotency-Key with the digest of its body. Errors: `invalid_header`. */
function idempotencyOf(ctx: Context, bytes: Buffer | null): Idempotency | null {
  const key = idempotencyKeyOf(ctx);
  return key === null ? null : { key, bodySha256: sha256Hex(bytes ?? '') };
}

export function bindOpenApi(bind: Binder, services: Services): void {
  // Made when it is first read, which a start need not wait for. It does not change while the process runs.
  let document: OpenApi | undefined;
  bind.open(readOpenApi, () => {
    document ??= rawJson<OpenApi>(JSON.stringify(openApiDocument(services.baseUrl)));
    return Promise.resolve(document);
  });
}
