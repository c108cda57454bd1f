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
  /** The saved values that edits are compared with: from when the form was opened, or from its last save. Null for a new endpoint. */
  saved: SavedEndpoint | null;
  /** Fields of a save whose answer never came, or was an error: the service may have other values than `saved`. */
  unconfirmed: string[];
}

/** `url` is null when somebody else has removed the endpoint of the settings meanwhile. */
type SavedEndpoint = Pick<EndpointDraft, 'description' | 'events' | 'isEnabled'> & { url: string | null };

const EMPTY = { url: '', description: '', isEnabled: true, saved: null };

export const newDraft = (): EndpointDraft => ({
  ...EMPTY,
  ...{ id: null, events: [...DELIVERED_EVENTS], isFirst: false, unconfirmed: [] },
});

/** Of a project whose settings have no URL: what is typed becomes that URL. */
export const firstDraft = (projectId: string): EndpointDraft => ({
  ...EMPTY,
  ...{ id: projectId, events: [...DELIVERED_EVENTS], isFirst: true, unconfirmed: [] },
});

export const draftOf = (endpoint: WebhookEndpoint): EndpointDraft => {
  const { id, url, description, events, is_enabled: isEnabled, is_default: isFirst } = endpoint;
  const saved = { url, description, events, isEnabled };
  return { id, ...saved, events: [...events], isFirst, saved, unconfirmed: [] };
};

/**
 * The draft of a first endpoint, based on the URL that the settings have now. `isConflict`: saving would replace a URL that somebody
 * else saved, or add it again (ST1). A new one becomes a further endpoint once somebody else has added the first one.
 */
export function rebase(draft: EndpointDraft, now: string | null): { draft: EndpointDraft; isConflict: boolean } {
  const { saved } = draft;
  const savedUrl = saved?.url ?? null;
  if (now === savedUrl) return { draft, isConflict: false };
  if (saved === null || savedUrl === null)
    return { draft: { ...draft, id: null, isFirst: false, saved: null }, isConflict: false };
  const isEdited = draft.url.trim() !== savedUrl || draft.unconfirmed.includes('url');
  const url = isEdited || now === null ? draft.url : now;
  return { draft: { ...draft, url, saved: { ...saved, url: now } }, isConflict: url.trim() !== now };
}

/** All fields, as the body of a request has them. */
export const fieldsOf = ({
  url,
  description,
  events,
  isEnabled,
  isFirst,
}: Omit<EndpointDraft, 'id' | 'saved' | 'unconfirmed'>) => ({
  ...{ url: url.trim(), description: description.trim(), is_enabled: isEnabled },
  ...(!isFirst && { events }),
});

export type EndpointBody = ReturnType<typeof fieldsOf>;

/**
 * The fields that were edited, or sent without a confirmation. Another owner may have changed the others since the form was opened. Without an edit it returns
 * `savedNow`, the newest URL that the page knows, because saving the URL resumes the endpoint (WH3).
 */
export function changesOf(draft: EndpointDraft, savedNow: string): Partial<EndpointBody> {
  const fields = fieldsOf(draft);
  const { saved, isFirst, unconfirmed } = draft;
  if (saved === null) return fields;
  const before = new Map<string, unknown>(Object.entries(fieldsOf({ ...saved, url: saved.url ?? '', isFirst })));
  const edited = Object.entries(fields).filter(
    ([name, value]) => unconfirmed.includes(name) || !isSame(value, before.get(name)),
  );
  return edited.length === 0 ? { url: savedNow } : Object.fromEntries(edited);
}

export const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** With or without an event, in the order of their declaration. */
export const withEvent = (
  events: readonly DeliveredEvent[],
  event: DeliveredEvent,
  chosen: boolean,
): DeliveredEvent[] => DELIVERED_EVENTS.filter((name) => (name === event ? chosen : events.includes(name)));
