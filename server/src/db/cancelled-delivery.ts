// SQL for what becomes of a delivery that is not sent any more: its endpoint was removed, or its project deleted.

export const CANCELLED = `status = 'cancelled', claim_token = null, lease_until = null, next_attempt_at = null, completed_at = now()`;
