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
  /** The one of the settings (WE1): its events are chosen there, for the feed too. */
  isFirst: boolean;
  /** It was not saved when the form was opened. */
  isNew: boolean;
}

const EMPTY = { url: '', description: '', isEnabled: true, isNew: true } as const;

export const newDraft = (): EndpointDraft => ({ ...EMPTY, id: null, events: [...DELIVERED_EVENTS], isFirst: false });

/** Of a project whose settings have no URL: what is typed becomes that URL. */
export const firstDraft = (projectId: string): EndpointDraft => ({
  ...EMPTY,
  ...{ id: projectId, events: [...DELIVERED_EVENTS], isFirst: true },
});

export const draftOf = (endpoint: WebhookEndpoint): EndpointDraft => {
  const { id, url, description, events, is_enabled: isEnabled, is_default: isFirst } = endpoint;
  return { id, url, description, events: [...events], isEnabled, isFirst, isNew: false };
};

/** The draft of a first endpoint as that of a further one, once somebody else has added the first one. */
export const asFurther = (draft: EndpointDraft): EndpointDraft => ({ ...draft, id: null, isFirst: false });

/** The body of the request. */
export const bodyOf = ({ url, description, events, isEnabled, isFirst }: EndpointDraft) => ({
  ...{ url: url.trim(), description: description.trim(), is_enabled: isEnabled },
  ...(!isFirst && { events }),
});

/** With or without an event, in the order of their declaration. */
export const withEvent = (
  events: readonly DeliveredEvent[],
  event: DeliveredEvent,
  chosen: boolean,
): DeliveredEvent[] => DELIVERED_EVENTS.filter((name) => (name === event ? chosen : events.includes(name)));
