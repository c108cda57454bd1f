// Pages, files and addresses where nothing is: nobody is asked who they are, so their address is counted (RL10, MB7).
import type { Middleware } from 'koa';
import { EXPECTED, type Memory } from '../limits/memory.ts';
import type { Services } from '../usecases/services.ts';
import { holderOf, keep } from './in-flight.ts';
import { limitAddress } from './rate-limit.ts';

/** Counts what comes here by address: how often, and answers that are not taken. Errors: `rate_limited`, `unavailable`. */
export function anonymous(services: Pick<Services, 'limiter'> & { memory: Pick<Memory, 'anonymous'> }): Middleware {
  const { anonymous: room } = services.memory;
  return async (ctx, next) => {
    await limitAddress(services, ctx, 'anonymous');
    const place = await room.enter(holderOf(ctx, null), EXPECTED.small, ctx.res);
    try {
      await next();
    } finally {
      keep(ctx, place);
    }
  };
}
