// Pages, files and addresses where nothing is: nobody is asked who they are, so their address is counted (RL10, MB7).
import type { Middleware } from 'koa';
import { EXPECTED, type Memory } from '../../limits/memory-limits.ts';
import type { Services } from '../../usecases/services.ts';
import { ownerOf, holdUntilSent } from '../admission/memory-reservation.ts';
import { limitAddress } from '../admission/rate-limit.ts';

/** Counts what comes here by address: how often, and answers that are not taken. Errors: `rate_limited`, `unavailable`. */
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
