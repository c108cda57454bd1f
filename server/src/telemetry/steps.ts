// The steps of an item's way, from its submission to its webhook, as they are told to whoever collects them.
import type { AttemptObservation, EventObservation, RequestObservation } from './observations.ts';

/** One step on the way of an item; it has ended. */
export interface Step {
  itemId: string;
  /** Everything else on the way of the item hangs from this one. */
  first: boolean;
  name: string;
  kind: 'request' | 'event' | 'post';
  /** ms since the epoch. */
  startedAt: number;
  endedAt: number;
  failed: boolean;
  attributes: Record<string, string | number>;
}

export interface Traces {
  send: (step: Step) => void;
  /** Sends what is still here, as far as that can be done soon. Never fails. */
  stop: () => Promise<void>;
}

/** Whoever may not see an item leaves nothing in its trace, whatever id they name. */
const OUTSIDE: ReadonlySet<number> = new Set([401, 403, 404]);

/** A request that names an item, or made one; null for any other. */
export function stepOfRequest({ itemId, ...observed }: RequestObservation, now: number): Step | null {
  if (itemId === null || OUTSIDE.has(observed.status)) return null;
  const { method, route, status, requestId } = observed;
  return {
    ...{ itemId, first: false, name: `${method} ${route}`, kind: 'request' },
    ...{ startedAt: now - observed.seconds * 1000, endedAt: now, failed: status >= 500 },
    attributes: {
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': status,
      'countersign.request_id': requestId,
    },
  };
}

/** From its being stated until it has its place in the ledger. */
export function stepOfEvent(
  { itemId, projectId, seq, version, type, appendedAt }: EventObservation,
  now: number,
): Step | null {
  if (itemId === null) return null;
  return {
    ...{ itemId, first: version === 1, name: type, kind: 'event' },
    ...{ startedAt: Math.min(appendedAt, now), endedAt: now, failed: false },
    attributes: { 'countersign.project_id': projectId, 'countersign.seq': seq },
  };
}

/** One POST of a webhook. */
export function stepOfAttempt({ itemId, outcome, seconds, ...observed }: AttemptObservation, now: number): Step {
  const { projectId, webhookId, attempt, status } = observed;
  return {
    ...{ itemId, first: false, name: `webhook attempt ${attempt}`, kind: 'post' },
    ...{ startedAt: now - seconds * 1000, endedAt: now, failed: outcome === 'failed' },
    attributes: {
      'http.request.method': 'POST',
      ...(status === null ? {} : { 'http.response.status_code': status }),
      'countersign.project_id': projectId,
      'countersign.webhook_id': webhookId,
      'countersign.attempt': attempt,
    },
  };
}
