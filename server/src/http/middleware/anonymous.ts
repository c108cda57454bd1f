// Limits pages, files and unknown paths by address, because they require no authentication (RL10, MB7).
import type { Middleware } from 'koa';
import { EXPECTED, type Memory } from '../../limits/memory-limits.ts';
import type { Services } from '../../usecases/services.ts';
import { ownerOf, holdUntilSent } from '../admission/memory-reservation.ts';
import { limitAddress } from '../admission/rate-limit.ts';

/** Counts requests by address: their rate, and responses that are not read. Errors: `rate_limited`, `unavailable`. */
export function anonymous(services: Pick<Services, 'limiter'> & { memory: Pick<Memory, 'anonymous'> }): Middleware {
  const { anonymous: budget } = services.memory;
  return async (ctx, next) => {
    await limitAddress(services, ctx, 'anonymous');
    const reservation = await budget.enter(ownerOf(ctx, null), EXPECTED.small, ctx.res);
    try {
      await next();
    } finally {
      holdUntilSent(ctx, reservation);
    }
  };
}
