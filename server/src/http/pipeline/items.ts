// What pipelines do with one item, for the REST routes and for the MCP tools alike: submit, read, wait, withdraw.
import type { Context } from 'koa';
import type { PublicItem, Submitted } from '@countersign/shared/schemas/public';
import { isOpen } from '../../domain/items/item.ts';
import { presentPublicItem, presentSubmitted } from '../../presenters/item.ts';
import { noteSeenItem } from '../../usecases/access/seen-item.ts';
import { readPublicItem } from '../../usecases/items/read-item.ts';
import { submit, type SubmitRequest } from '../../usecases/items/submit.ts';
import type { Waiter } from '../../usecases/items/waiters.ts';
import { withdrawItem } from '../../usecases/items/withdraw-item.ts';
import type { ApiKeyActor, Services } from '../../usecases/services.ts';
import { recheckKey } from '../admission/callers.ts';
import { setExpectedWait } from '../response/expected-wait.ts';
import { DeferredReply } from '../response/reply.ts';

/** A request of a pipeline. */
export interface PipelineCall {
  actor: ApiKeyActor;
  ctx: Context;
}

/** Stores a submission. The headers of the response say whether it is a repeat, and how long people will probably need. */
export async function submitOne(
  services: Services,
  { actor, ctx }: PipelineCall,
  input: SubmitRequest,
): Promise<Submitted> {
  const { item, decision, replayed } = await submit(services, actor, input);
  if (replayed) ctx.set('idempotent-replayed', 'true');
  noteSeenItem(item.id);
  const answer = presentSubmitted(item, decision);
  await setExpectedWait(services, { projectId: actor.projectId, ctx }, [answer]);
  return answer;
}

/**
 * The item; if it is open and there is a free waiting slot, a deferred reply with the item once it is final or the
 * seconds are over (PW1). Errors: `not_found`, and after the wait `api_key_invalid`.
 */
export async function readOrWait(
  services: Services,
  { actor, ctx }: PipelineCall,
  { id, seconds }: { id: string; seconds: number },
): Promise<PublicItem | DeferredReply<PublicItem>> {
  const read = async () => {
    const { item, decision, answerSchema } = await readPublicItem(services, actor, id);
    return presentPublicItem(item, decision, answerSchema);
  };
  const answer = await read();
  const waiter = seconds === 0 || !isOpen(answer.status) ? null : services.waiters.take(actor);
  if (waiter === null) return answer;
  return new DeferredReply(async () => {
    await waitFor(waiter, ctx, { id, seconds });
    await recheckKey(services, ctx, true);
    return read();
  });
}

/** Errors: `not_found`, `already_decided`, `expired`. */
export async function withdrawOne(
  services: Services,
  { actor }: PipelineCall,
  { id, reason }: { id: string; reason: string | undefined },
): Promise<Submitted> {
  await withdrawItem(services, actor, { itemId: id, reason: reason ?? null });
  const { item, decision } = await readPublicItem(services, actor, id);
  return presentSubmitted(item, decision);
}

/** Waits in this slot, and leaves it; ends when the client disconnects. */
export async function waitFor(
  waiter: Waiter,
  ctx: Context,
  { id, seconds }: { id: string; seconds: number },
): Promise<void> {
  try {
    await waiter.until(id, seconds, disconnectSignal(ctx));
  } finally {
    waiter.leave();
  }
}

/** Aborts when the client disconnects before the response. */
function disconnectSignal(ctx: Context): AbortSignal {
  const gone = new AbortController();
  ctx.res.once('close', () => gone.abort());
  // A client that disconnected earlier, while the item was stored or read, emits no further event.
  if (ctx.res.closed) gone.abort();
  return gone.signal;
}
