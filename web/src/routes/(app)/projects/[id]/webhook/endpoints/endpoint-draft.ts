// What is typed about a webhook endpoint: stored with the form of the project, so that a change of the tab keeps it.
import { DELIVERED_EVENTS, type DeliveredEvent } from '@countersign/shared/enums';
import type { WebhookEndpoint } from '@countersign/shared/schemas/webhook';

export interface EndpointDraft {
  /** Null for a new one. */
  id: string | null;
  url: string;
  description: string;
  events: DeliveredEvent[];
  isEnabled: boolean;
}

export const newDraft = (): EndpointDraft => ({
  ...{ id: null, url: '', description: '', events: [...DELIVERED_EVENTS], isEnabled: true },
});

export const draftOf = ({ id, url, description, events, is_enabled: isEnabled }: WebhookEndpoint): EndpointDraft => ({
  ...{ id, url, description, events: [...events], isEnabled },
});

/** The body of the request. */
export const bodyOf = ({ url, description, events, isEnabled }: EndpointDraft) => ({
  ...{ url: url.trim(), description: description.trim(), events, is_enabled: isEnabled },
});

/** With or without an event, in the order of their declaration. */
export const withEvent = (
  events: readonly DeliveredEvent[],
  event: DeliveredEvent,
  chosen: boolean,
): DeliveredEvent[] => DELIVERED_EVENTS.filter((name) => (name === event ? chosen : events.includes(name)));
