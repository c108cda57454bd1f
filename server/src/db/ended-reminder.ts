// SQL for what becomes of a reminder that is not sent any more: it was replaced, or its target or project has ended.

export const ENDED_REMINDER = `status = 'dead', claim_token = null, lease_until = null, next_attempt_at = null, completed_at = now()`;
