// Presents webhook endpoints in the wire format: never a secret, but which of them sign.
import type { WebhookEndpoint, WebhookState } from '@countersign/shared/schemas/webhook';
import type { DeliveredEvent } from '@countersign/shared/enums';

interface Signed {
  failures: number;
  restsUntil: Date | null;
  revealed: boolean;
  rolling: boolean;
  promoteAt: Date | null;
  previousUntil: Date | null;
  overlapHours: number;
}

/** How an endpoint fares, and which secrets sign. */
export function presentSigning(view: Signed): Pick<WebhookState, 'health' | 'secret'> {
  const { failures, restsUntil, revealed, rolling, overlapHours: overlap_hours } = view;
  const [promote_at, previous_until] = [iso(view.promoteAt), iso(view.previousUntil)];
  const health = { failures, circuit_open_until: iso(restsUntil) };
  return { health, secret: { revealed, rolling, promote_at, previous_until, overlap_hours } };
}

export function presentEndpoint(
  view: Signed &
    Pick<WebhookEndpoint, 'id' | 'url' | 'description' | 'state' | 'status' | 'retrying'> & {
      events: DeliveredEvent[];
      isEnabled: boolean;
      isDefault: boolean;
      createdAt: Date;
    },
): WebhookEndpoint {
  const { id, url, description, events, state, status, retrying, isEnabled, isDefault } = view;
  const about = { id, url, description, events, is_enabled: isEnabled, is_default: isDefault, state, status, retrying };
  return { ...about, ...presentSigning(view), created_at: view.createdAt.toISOString() };
}

const iso = (at: Date | null) => at?.toISOString() ?? null;
