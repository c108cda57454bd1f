// Selects the last deliveries that failed and have not succeeded since.
import type { Delivery } from '@countersign/shared/api/learnings';

/** How many deliveries are searched. */
export const LOOKED_AT = 100;
const SHOWN = 5;

/** The newest few that are dead, or were tried without success and are still open. */
export const lastErrors = (deliveries: readonly Delivery[]): Delivery[] =>
  deliveries
    .filter(({ status, attempt }) => status === 'dead' || (OPEN.includes(status) && attempt > 0))
    .slice(0, SHOWN);

const OPEN: readonly Delivery['status'][] = ['pending', 'sending', 'paused'];
