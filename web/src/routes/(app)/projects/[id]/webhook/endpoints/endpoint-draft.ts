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
  /** The URL that was saved when the form was opened; null for a new endpoint. */
  savedUrl: string | null;
}

const EMPTY = { url: '', description: '', isEnabled: true, savedUrl: null } as const;

export const newDraft = (): EndpointDraft => ({ ...EMPTY, id: null, events: [...DELIVERED_EVENTS], isFirst: false });

/** Of a project whose settings have no URL: what is typed becomes that URL. */
export const firstDraft = (projectId: string): EndpointDraft => ({
  ...EMPTY,
  ...{ id: projectId, events: [...DELIVERED_EVENTS], isFirst: true },
});

export const draftOf = (endpoint: WebhookEndpoint): EndpointDraft => {
  const { id, url, description, events, is_enabled: isEnabled, is_default: isFirst } = endpoint;
  return { id, url, description, events: [...events], isEnabled, isFirst, savedUrl: url };
};

/**
 * The draft of a first endpoint, based on the URL that the settings have now. `isConflict`: saving would replace a URL that somebody
 * else saved, or add it again (ST1). A new one becomes a further endpoint once somebody else has added the first one.
 */
export function rebase(draft: EndpointDraft, now: string | null): { draft: EndpointDraft; isConflict: boolean } {
  const { savedUrl } = draft;
  if (now === savedUrl) return { draft, isConflict: false };
  if (savedUrl === null) return { draft: { ...draft, id: null, isFirst: false }, isConflict: false };
  const url = draft.url.trim() === savedUrl && now !== null ? now : draft.url;
  return { draft: { ...draft, url, savedUrl: now }, isConflict: url.trim() !== now };
}

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
