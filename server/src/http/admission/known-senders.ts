// Remembers inbound senders with recent valid signatures. All others count against a rate limit (RL2).
import type { Context } from 'koa';
import type { Services } from '../../usecases/services.ts';
import { clientOf, limitAddress } from './rate-limit.ts';

/** How long a valid signature exempts its sender, in ms. */
const REMEMBERED_MS = 10 * 60_000;
const MAX_SENDERS = 10_000;

export interface KnownSenders {
  /** Counts a request from an address without a recent valid signature for this source. Errors: `rate_limited`. */
  limit(ctx: Context, sourceId: string): Promise<void>;
  /** Records a valid signature. */
  remember(ctx: Context, sourceId: string): void;
}

export function createKnownSenders({ limiter, clock }: Pick<Services, 'limiter' | 'clock'>): KnownSenders {
  /** The last valid signature of each sender, oldest first. */
  const verifiedAt = new Map<string, number>();
  const nameOf = (ctx: Context, sourceId: string) => `${clientOf(ctx)} ${sourceId}`;
  return {
    limit: async (ctx, sourceId) => {
      const at = verifiedAt.get(nameOf(ctx, sourceId)) ?? -Infinity;
      if (clock.now().getTime() - at >= REMEMBERED_MS) await limitAddress({ limiter }, ctx, 'unknown-source');
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
