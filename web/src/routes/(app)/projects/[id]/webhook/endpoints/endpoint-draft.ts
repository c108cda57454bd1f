// What is typed about a webhook endpoint: stored with the form of the project, so that a change of the tab keeps it.
import { DELIVERED_EVENTS, type DeliveredEvent } from '@countersign/shared/enums';
import type { WebhookEndpoint } from '@countersign/shared/schemas/webhook';
import { isSame, mergeFields } from '../../settings/merge-fields.ts';
import { endpointMessages } from './endpoint-messages.ts';

export interface EndpointDraft {
  /** Null for a new one. */
  id: string | null;
  url: string;
  description: string;
  events: DeliveredEvent[];
  isEnabled: boolean;
  /** The one of the settings (WE1): its events are chosen there, for the feed too. */
  isFirst: boolean;
  /** The saved values that edits are compared with: from when the form was opened, from its last save, or as somebody else saved them since. Null for a new endpoint. */
  saved: SavedEndpoint | null;
  /** The fields of a save whose answer never came, or was an error: the service may have these values instead of `saved`. */
  unconfirmed: Partial<EndpointBody>;
  /** What both changed, until the next save answers it (ST1). */
  conflicts: EndpointConflicts;
}

/** `url` is null when somebody else has removed the endpoint meanwhile. */
type SavedEndpoint = Pick<EndpointDraft, 'description' | 'events' | 'isEnabled'> & { url: string | null };
/** What is saved of an endpoint now. */
export type EndpointNow = SavedEndpoint & { url: string };
/** The question at each field. */
type EndpointConflicts = Partial<Record<keyof EndpointBody, string>>;

const EMPTY = { url: '', description: '', isEnabled: true, saved: null };

const newFields = () => ({ ...EMPTY, events: [...DELIVERED_EVENTS], unconfirmed: {}, conflicts: {} });

export const newDraft = (): EndpointDraft => ({ ...newFields(), id: null, isFirst: false });

/** Of a project whose settings have no URL: what is typed becomes that URL. */
export const firstDraft = (projectId: string): EndpointDraft => ({ ...newFields(), id: projectId, isFirst: true });

/** What a listed endpoint has. */
export const savedOf = ({ url, description, events, is_enabled: isEnabled }: WebhookEndpoint): EndpointNow => ({
  ...{ url, description, events: [...events], isEnabled },
});

export const draftOf = (endpoint: WebhookEndpoint): EndpointDraft => ({
  ...{ ...savedOf(endpoint), id: endpoint.id, isFirst: endpoint.is_default },
  ...{ saved: savedOf(endpoint), unconfirmed: {}, conflicts: {} },
});

/** Whether saving adds a further endpoint: a new one, or one that somebody else has removed meanwhile. */
export const addsEndpoint = ({ id, isFirst, saved }: EndpointDraft): boolean =>
  id === null || (!isFirst && saved?.url === null);

/**
 * The draft, based on what is saved now; null where the endpoint is not there. Takes the fields that only others changed. `conflicts`:
 * saving would replace what somebody else saved, or add what they removed (ST1). A new first endpoint becomes a further one once
 * somebody else has added the first one.
 */
export function rebase(draft: EndpointDraft, now: EndpointNow | null): EndpointDraft {
  const { saved, isFirst, unconfirmed } = draft;
  const url = saved?.url ?? null;
  if (saved === null || url === null) {
    return now === null
      ? { ...draft, conflicts: {} }
      : { ...draft, id: null, isFirst: false, saved: null, conflicts: {} };
  }
  if (now === null)
    return { ...draft, saved: { ...saved, url: null }, conflicts: { url: endpointMessages.conflict.removed } };
  const was = fieldsOf({ ...saved, url, isFirst });
  const theirs = fieldsOf({ ...now, isFirst });
  // What a save without an answer sent is this owner's own change.
  for (const [field, sent] of Object.entries(unconfirmed))
    if (isSame(theirs[field as never], sent)) Object.assign(was, { [field]: sent });
  const { taken, conflicts } = mergeFields(
    { was, mine: fieldsOf(draft), now: theirs },
    (field) => field in unconfirmed,
  );
  const { is_enabled: isEnabled = draft.isEnabled, ...rest } = taken;
  const questions = Object.fromEntries(conflicts.map((field) => [field, questionOf(field, now)]));
  return { ...draft, ...rest, isEnabled, saved: now, conflicts: questions };
}

/** A switch has two values: two owners who both changed it agree. */
function questionOf(field: keyof EndpointBody, { url, description, events }: EndpointNow): string {
  const { conflict } = endpointMessages;
  if (field === 'url') return conflict.url(url);
  return field === 'events' ? conflict.events(events) : conflict.description(description);
}

/** All fields, as the body of a request has them. */
export const fieldsOf = ({
  url,
  description,
  events,
  isEnabled,
  isFirst,
}: Pick<EndpointDraft, 'url' | 'description' | 'events' | 'isEnabled' | 'isFirst'>) => ({
  ...{ url: url.trim(), description: description.trim(), is_enabled: isEnabled },
  ...(!isFirst && { events }),
});

export type EndpointBody = ReturnType<typeof fieldsOf>;

/**
 * The fields that were edited, or sent without a confirmation. Without an edit it returns the saved URL, because saving the URL
 * resumes the endpoint (WH3).
 */
export function changesOf(draft: EndpointDraft): Partial<EndpointBody> {
  const fields = fieldsOf(draft);
  const { saved, isFirst, unconfirmed } = draft;
  if (saved === null) return fields;
  const before = new Map<string, unknown>(Object.entries(fieldsOf({ ...saved, url: saved.url ?? '', isFirst })));
  const edited = Object.entries(fields).filter(
    ([name, value]) => name in unconfirmed || !isSame(value, before.get(name)),
  );
  return edited.length === 0 ? { url: fields.url } : Object.fromEntries(edited);
}

/** With or without an event, in the order of their declaration. */
export const withEvent = (
  events: readonly DeliveredEvent[],
  event: DeliveredEvent,
  chosen: boolean,
): DeliveredEvent[] => DELIVERED_EVENTS.filter((name) => (name === event ? chosen : events.includes(name)));
