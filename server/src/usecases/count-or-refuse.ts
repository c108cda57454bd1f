// Counts one more of what a use case limits, or refuses it (RL5). It asks the network, so no transaction may be open.
import { Refusal } from '@countersign/shared/errors';
import type { PolicyName } from '../limits/policies.ts';
import type { Services } from './services.ts';

/** `key`: whose quota it is. `detail`: says what to do; it gets the seconds until a retry succeeds. Errors: `rate_limited`. */
export async function countOrRefuse(
  { limiter }: Pick<Services, 'limiter'>,
  { policy, key }: { policy: PolicyName; key: string },
  detail: (seconds: number) => string,
): Promise<void> {
  const { allowed, retryAfterSeconds: retryAfter } = await limiter.take(policy, key);
  if (!allowed) throw new Refusal('rate_limited', detail(retryAfter), { retryAfter });
}
