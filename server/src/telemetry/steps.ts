// The steps of an item from its submission to its webhook, for its trace.
import type { AttemptObservation, EventObservation, RequestObservation } from './observations.ts';

/** A completed step in the processing of an item. */
export interface Step {
  itemId: string;
  /** The root span: all other steps of the item are its children. */
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
  /** Sends the remaining steps, as far as that is possible quickly. Never fails. */
  stop: () => Promise<void>;
}

/** A request whose caller created an item, or may see the one it names; null for any other. */
export function stepOfRequest({ itemId, ...observed }: RequestObservation, now: number): Step | null {
  if (itemId === null) return null;
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

/** From its append to its sequence number. */
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
