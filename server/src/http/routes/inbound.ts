// Inbound webhooks: the sources of a project, and the messages that they sign (docs/spec/webhooks.md#inbound).
import { ageOf } from '../../domain/age.ts';
import type { Context } from 'koa';
import * as api from '@countersign/shared/routes/inbound';
import { inboundSubmission } from '@countersign/shared/schemas/inbound';
import { Refusal } from '@countersign/shared/errors';
import { HEADERS } from '@countersign/shared/webhook';
import { presentInboundSource } from '../../presenters/inbound-source.ts';
import { presentSubmitted } from '../../presenters/item.ts';
import { noteSeenItem } from '../../usecases/access/seen-item.ts';
import { checkInbound, touchSource } from '../../usecases/credentials/check-inbound.ts';
import {
  createInboundSource,
  removeInboundSource,
  listInboundSources,
} from '../../usecases/credentials/inbound-sources.ts';
import type { Services } from '../../usecases/services.ts';
import { parseBody } from '../request/i-json.ts';
import { limitKey, clientOf, limitAddress } from '../admission/rate-limit.ts';
import { onlyResult } from '../../usecases/items/intake.ts';
import { toSubmitInput } from '../request/read-submission.ts';
import { setExpectedWait } from '../response/expected-wait.ts';
import { ReplyWithStatus } from '../response/reply.ts';
import { header, traceOf } from '../admission/callers.ts';
import { parseFields } from '../request/parse-fields.ts';
import type { Binder } from '../route.ts';

export function bindInbound(bind: Binder, services: Services): void {
  bindReceiver(bind, services);
  bindSources(bind, services);
}

function bindReceiver(bind: Binder, services: Services): void {
  const senders = createKnownSenders(services);
  const limit = (ctx: Context, params: { source_id: string }) => senders.limit(ctx, params.source_id);
  bind.signed(api.receiveInbound, limit, async ({ params, bytes, ctx }) => {
    // The order matters (K6): the bytes are parsed as JSON only after their signature is verified.
    const sender = await checkInbound(services, { sourceId: params.source_id, headers: signatureHeaders(ctx), bytes });
    senders.remember(ctx, params.source_id);
    await limitKey(services, ctx, { keyId: sender.sourceId });
    const { value, raw } = parseBody(bytes);
    const body = parseFields(inboundSubmission, value, '#');
    if (body.project_id !== undefined && body.project_id !== sender.projectId) {
      throw new Refusal('project_mismatch', 'Omit project_id, or send the project of this source.');
    }
    const stored = await services.intake.submit({
      projectId: sender.projectId,
      actor: { kind: 'inbound', id: sender.sourceId, name: sender.name },
      items: [{ ...toSubmitInput(body, raw), ...traceOf(ctx) }],
      idempotency: { operation: `inbound:${sender.sourceId}`, digest: null, ...sender.same },
    });
    const { item, decision } = onlyResult(stored);
    noteSeenItem(item.id);
    const answer = presentSubmitted(item, decision);
    await setExpectedWait(services, { projectId: sender.projectId, ctx }, [answer]);
    if (!stored.replayed) {
      // The item is stored: the sender gets a response even if the timestamp update fails.
      await touchSource(services, sender).catch((error: unknown) =>
        services.log.warn({ err: error }, 'last use of an inbound source could not be saved'),
      );
      return answer;
    }
    ctx.set('idempotent-replayed', 'true');
    return new ReplyWithStatus(200, answer);
  });
}

const SIGNATURE_HEADERS = [HEADERS.standard, HEADERS.id, HEADERS.timestamp, HEADERS.signature];

const signatureHeaders = (ctx: Context) =>
  Object.fromEntries(SIGNATURE_HEADERS.map((name) => [name, header(ctx, name)]));

function bindSources(bind: Binder, services: Services): void {
  const present = (source: Parameters<typeof presentInboundSource>[0]) =>
    presentInboundSource(source, services.baseUrl);
  bind.member(api.listInboundSources, async ({ actor, params }) => {
    const sources = await listInboundSources(services, actor, params.id);
    return { data: sources.map(present), next_cursor: null };
  });
  bind.member(api.createInboundSource, async ({ actor, params, body }) => {
    const name = body?.name ?? 'Inbound source';
    const { source, secret } = await createInboundSource(services, actor, { projectId: params.id, name });
    return { ...present(source), inbound_secret: secret };
  });
  bind.member(api.removeInboundSource, async ({ actor, params }) => {
    await removeInboundSource(services, actor, { projectId: params.id, sourceId: params.source_id });
    return undefined;
  });
}

/** How long a valid signature exempts its sender, in ms. */
const REMEMBERED_MS = 10 * 60_000;
const MAX_SENDERS = 10_000;

interface KnownSenders {
  /** Counts a request from an address without a recent valid signature for this source. Errors: `rate_limited`. */
  limit(ctx: Context, sourceId: string): Promise<void>;
  /** Records a valid signature. */
  remember(ctx: Context, sourceId: string): void;
}

function createKnownSenders({ limiter, clock }: Pick<Services, 'limiter' | 'clock'>): KnownSenders {
  /** The last valid signature of each sender, oldest first. */
  const verifiedAt = new Map<string, number>();
  const nameOf = (ctx: Context, sourceId: string) => `${clientOf(ctx)} ${sourceId}`;
  return {
    limit: async (ctx, sourceId) => {
      if (ageOf(clock.now(), verifiedAt.get(nameOf(ctx, sourceId))) >= REMEMBERED_MS)
        await limitAddress({ limiter }, ctx, 'unknown-source');
    },
    remember: (ctx, sourceId) => {
      const name = nameOf(ctx, sourceId);
      verifiedAt.delete(name);
      verifiedAt.set(name, clock.now().getTime());
      const [oldest] = verifiedAt.keys();
      if (verifiedAt.size > MAX_SENDERS && oldest !== undefined) verifiedAt.delete(oldest);
    },
  };
}
