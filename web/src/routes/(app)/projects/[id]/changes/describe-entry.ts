// Describes an entry of the change log: what was done to what, the differences, and further details.
import type { ProjectChange } from '@countersign/shared/schemas/changes';
import type { Project } from '@countersign/shared/schemas/projects';
import { DEFAULT_SETTINGS, SETTINGS } from '@countersign/shared/settings';
import { ROLES, type Role } from '@countersign/shared/enums';
import { count, exactMoment } from '#lib/format/format.ts';
import { changesMessages as messages, type Phrase } from './changes-messages.ts';
import { describeChange, entryText, formatValue } from '../settings/describe-change.ts';
import { poolMessages } from '../people/pool-messages.ts';
import { draftOf, FIELDS, type Draft, type FieldName } from '../settings/settings-draft.ts';
import { settingsMessages } from '../settings/settings-messages.ts';

export interface Difference {
  label: string;
  /** The removed and the added value; null where there is none. */
  from: string | null;
  to: string | null;
}

/** A text too long for the line: it is compared on request. */
export interface LongText {
  label: string;
  before: string;
  after: string;
}

export interface LogEntry {
  phrase: Phrase;
  /** The object of the action; null where there is none, or it is the actor. */
  subject: string | null;
  differences: Difference[];
  texts: LongText[];
  details: string[];
}

type Values = Record<string, unknown>;

const has = (values: Values, key: string): boolean => Object.hasOwn(values, key);

/** A longer value is shown in a comparison, not in the line. */
const LONG = 160;

export function describeEntry(change: ProjectChange): LogEntry {
  const [before, after] = [change.before ?? {}, change.after ?? {}];
  const own = change.subject_id !== null && change.subject_id === change.changed_by.user_id;
  const renamed = change.action === 'member.changed' && has(after, 'name');
  const known: Phrase | undefined = renamed ? messages.renamed : messages.phrases[change.action];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const isSettings = change.action === 'settings.changed' || change.action === 'project.created';
  const described = isSettings
    ? describeSettings(before, after)
    : { differences: [], texts: [], known: new Set<string>() };
  const rest = keys.filter((key) => !described.known.has(key));
  const compared = rest.filter((key) => isLabelled(key) || (has(before, key) && has(after, key)));
  return {
    phrase: known ?? messages.other,
    subject: own ? null : change.subject,
    differences: [...described.differences, ...compared.map((key) => difference(key, before, after))],
    texts: described.texts,
    details: rest.filter((key) => !compared.includes(key)).flatMap((key) => detail(key, after[key] ?? before[key])),
  };
}

/** The settings among the values, in the order of the page and in the terms of the save bar. */
function describeSettings(
  before: Values,
  after: Values,
): Pick<LogEntry, 'differences' | 'texts'> & { known: Set<string> } {
  const fields = FIELDS.filter((field) => has(before, field) || has(after, field));
  const [from, to] = [draftWith(before), draftWith(after)];
  const texts: LongText[] = [];
  const differences = fields.map((field): Difference => {
    const known = has(before, field);
    // Without a former value there is nothing to compare: the new one is shown.
    const described = known
      ? describeChange(field, from, to)
      : { label: settingsMessages.fields[field], from: null, to: formatValue(field, to) };
    const edited = known && SETTINGS[field].log === 'edited';
    if (!edited && !isLong(described.from) && !isLong(described.to))
      return { label: described.label, from: described.from, to: described.to };
    texts.push({ label: described.label, before: known ? asText(from, field) : '', after: asText(to, field) });
    return { label: described.label, from: null, to: known ? messages.edited : messages.below };
  });
  return { differences, texts, known: new Set(fields) };
}

const isLong = (text: string | null): boolean => (text?.length ?? 0) > LONG;

/** A form with these settings in it. The entry names the ones it describes; the others are never read. */
function draftWith(values: Values): Draft {
  return draftOf({ ...DEFAULT_SETTINGS, name: '', ...values } as Project);
}

const asText = (draft: Draft, field: FieldName): string => {
  const value = draft[field];
  return Array.isArray(value) ? value.map((entry) => entryText(field, entry)).join('\n') : value;
};

function difference(key: string, before: Values, after: Values): Difference {
  const side = (values: Values) => (has(values, key) ? plain(key, values[key]) : null);
  return { label: labelOf(key), from: side(before), to: side(after) };
}

const isLabelled = (key: string): key is keyof typeof messages.labels => Object.hasOwn(messages.labels, key);
const labelOf = (key: string): string => (isLabelled(key) ? messages.labels[key] : key.replaceAll('_', ' '));

const isRole = (value: unknown): value is Role => ROLES.includes(value as Role);

function plain(key: string, value: unknown): string {
  if (key === 'role' && isRole(value)) return poolMessages.roles[value];
  if (value === null || value === '') return messages.none;
  if (Array.isArray(value)) return value.join(', ');
  if (typeof value === 'number') return count(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Further details of an entry, by their key. A detail without content returns null. */
const DETAILS: Record<string, (value: never) => string | null> = {
  last4: messages.details.last4,
  scopes: (scopes: readonly string[]) => messages.details.scopes(scopes.join(', ')),
  expires_at: (at: string) => messages.details.expires_at(exactMoment(at)),
  by_invite_of: messages.details.invitedBy,
  by_offer_of: messages.details.offeredBy,
  invites_revoked: messages.details.invitesRevoked,
  offers_revoked: messages.details.offersRevoked,
  address: messages.details.wallet,
  hours: messages.details.goodFor,
  url: messages.details.to,
  saved: (saved: boolean) => (saved ? null : messages.details.unsaved),
  ok: () => null,
  is_enabled: (enabled: boolean) => (enabled ? null : messages.details.disabled),
  // The entry already names the endpoint by it.
  description: () => null,
  http_status: messages.details.answered,
  error: messages.details.failed,
  phase: () => null,
  note: messages.details.note,
  reasons: messages.details.reasons,
  promote_at: (at: string) => messages.details.firstFrom(exactMoment(at)),
  deliveries: (status: string) => messages.details.resent[status] ?? status,
  count: (n: number) => messages.details.deliveries(count(n)),
  created_since: (at: string) => messages.details.createdSince(exactMoment(at)),
  overlap_hours: messages.details.overlap,
  previous_until: (at: string) => messages.details.oldUntil(exactMoment(at)),
};

function detail(key: string, value: unknown): string[] {
  if (value === null || value === undefined) return [];
  const say = Object.hasOwn(DETAILS, key) ? DETAILS[key] : undefined;
  const said = say === undefined ? messages.details.other(labelOf(key), plain(key, value)) : say(value as never);
  return said === null ? [] : [said];
}
