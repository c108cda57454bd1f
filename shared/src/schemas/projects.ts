// Projects, their keys, members and webhook settings (docs/spec/dashboard-api.md).
import { z } from 'zod';
import { timestamp, uuid } from './parts/ids.ts';
import { abilities, abilitiesTo, itemKind, itemStatus, role } from './parts/enums.ts';
import { SAMPLES, SCOPES } from '../enums.ts';
import {
  SETTING_NAMES,
  SETTINGS,
  type PointersSetting,
  type ProjectSettings,
  type Setting,
  type SettingName,
  type SubsetSetting,
} from '../settings.ts';
import { skillsSchemaOf } from './parts/skills.ts';
import { LIMITS } from '../limits.ts';
import { json } from './parts/json.ts';
import { isHostName } from '../formats/host-name.ts';
import { isItemPointer } from '../formats/item-pointer.ts';
import { isTimeZone } from '../time-zone.ts';
import { personName } from './parts/person-name.ts';
import { projectSummary } from './parts/project-summary.ts';
import { endpointSchemas } from './parts/endpoint-schemas.ts';
import { rotated, rotation } from './parts/secret-rotation.ts';
import { notifications } from './parts/notifications.ts';
import { queryInteger } from './parts/query-number.ts';
import { offer } from './offers.ts';

const label = z.string().trim().min(1).max(100);

/** Above the schemas, which read them as they are made. */
const NO_HOST = 'Enter a host name in lower case, such as images.example.com: no port, no IP address, IDN as punycode.';
const NO_POINTER = 'Enter a JSON pointer into the item, such as /input/body or /suggestion.';

/** The schema of each setting. */
const settingSchemas = schemasOf();

function schemasOf(): { [Name in SettingName]: z.ZodType<ProjectSettings[Name]> } {
  // An object with the same keys, each with the schema of its values.
  return Object.fromEntries(SETTING_NAMES.map((name) => [name, schemaOf(SETTINGS[name])])) as unknown as ReturnType<
    typeof schemasOf
  >;
}

function schemaOf(setting: Setting): z.ZodType {
  const schema = valueSchemaOf(setting);
  return setting.nullable ? schema.nullable() : schema;
}

function valueSchemaOf(setting: Setting): z.ZodType {
  if (setting.control === 'choice') return z.enum(setting.options);
  if (setting.control === 'number') {
    const number = setting.integer ? z.number().int() : z.number();
    return number.min(setting.min).max(setting.max);
  }
  if (setting.control === 'list') {
    const entry = z.string().trim().min(1).max(setting.maxLength);
    const list = z
      .array(setting.format === 'host_name' ? entry.refine(isHostName, NO_HOST) : entry)
      .max(setting.maxEntries);
    return setting.minEntries > 0 ? list.min(setting.minEntries) : list;
  }
  if (setting.control === 'pointers') return pointersSchemaOf(setting);
  if (setting.control === 'subset') return subsetSchemaOf(setting);
  if (setting.control === 'skills') return skillsSchemaOf(setting);
  // The server compiles it: pages do not load the compiler with this schema.
  if (setting.control === 'schema') return json;
  const text = setting.trimmedBy === 'everyone' ? z.string().trim() : z.string();
  const bounded = setting.minLength > 0 ? text.min(setting.minLength) : text;
  return setting.format === 'time_zone'
    ? bounded.max(setting.maxLength).refine(isTimeZone, 'This is not a time zone name such as Europe/Berlin.')
    : bounded.max(setting.maxLength);
}

function pointersSchemaOf({ maxEntries, maxLength, options }: PointersSetting): z.ZodType {
  return z
    .record(z.string().max(maxLength).refine(isItemPointer, NO_POINTER), z.enum(options))
    .refine((kinds) => Object.keys(kinds).length <= maxEntries, `Keep at most ${maxEntries} pointers.`);
}

/** In the order of the options, each once: two spellings of one choice are one value. */
function subsetSchemaOf({ options, always, whyAlways }: SubsetSetting): z.ZodType {
  return z
    .array(z.enum(options))
    .refine((chosen) => always.every((option) => chosen.includes(option)), whyAlways)
    .overwrite((chosen) => options.filter((option) => chosen.includes(option)));
}

/** Every setting that an owner can change; shared/src/settings.ts declares them. */
export const projectSettings = z.object(settingSchemas);

/** As requests and responses contain them: the answer schema is the schema itself, not its text. */
const sentSettings = z.object({ ...settingSchemas, answer_schema: json.nullable() });

/** Since when all items go to human review (RT7), who stopped the project, and their note. */
export const projectStop = z.object({ at: timestamp, by_name: z.string().nullable(), note: z.string().nullable() });
export type ProjectStop = z.infer<typeof projectStop>;

export const project = z
  .object({
    id: uuid,
    ...sentSettings.shape,
    /**
     * Null for members who must not see what distinguishes audits, while `hides_confidence` is true (AU3); so is the
     * next field.
     */
    auto_threshold: settingSchemas.auto_threshold.nullable(),
    review_threshold: settingSchemas.review_threshold.nullable(),
    settings_version: z.number().int(),
    created_at: timestamp,
    archived_at: timestamp.nullable(),
    /** The members who are named in `skills`, with their names (SK2). */
    skill_people: z.array(z.object({ user_id: uuid, name: z.string() })),
    /** Since when audits show that automatic decisions may be wrong more often than `error_budget` allows (AU5). */
    over_budget_since: timestamp.nullable(),
    /** Whether the confidence of waiting items, and the thresholds, are hidden from the requesting member (AU3). */
    hides_confidence: z.boolean(),
    /** Where reminders go (NO); null for members who may not see their URLs. */
    notifications: notifications.nullable(),
    /** Null unless the project is stopped. */
    stopped: projectStop.nullable(),
    /** Sample data of the demo: it is being made, or complete; null: none (SA1). */
    samples: z.enum(SAMPLES).nullable(),
    role,
    abilities,
    summary: projectSummary,
    seq: z.number().int(),
  })
  .meta({ id: 'Project' });
export type Project = z.infer<typeof project>;

const projectParams = z.object({ id: uuid });

export const listProjects = endpointSchemas({
  auth: 'session',
  summary: 'Your open projects, or with `archived=true` your archived ones',
  query: z.object({
    archived: z.enum(['true', 'false']).optional(),
    after: z.string().optional(),
    limit: queryInteger(1, 200).prefault(100),
  }),
  reply: z.object({ data: z.array(project), next_cursor: z.string().nullable() }),
});

export const createProject = endpointSchemas({
  auth: 'session',
  summary: 'Create a project and become its owner',
  status: 201,
  body: z.strictObject({
    ...sentSettings.partial().shape,
    name: sentSettings.shape.name,
    notifications: notifications.optional(),
  }),
  reply: project,
});

export const readProject = endpointSchemas({
  auth: 'session',
  summary: 'One project with its settings',
  params: projectParams,
  reply: project,
});

export const changeProject = endpointSchemas({
  auth: 'session',
  summary: 'Change settings; requires the current version, a stale one is refused',
  params: projectParams,
  body: z.strictObject({
    ...sentSettings.partial().shape,
    notifications: notifications.optional(),
    settings_version: z.number().int(),
  }),
  reply: project,
});

/** What was suggested for an item and what was decided, to check an answer schema against them. */
export const itemAnswers = z
  .object({
    id: uuid,
    preview: z.string(),
    title: z.string().nullable(),
    kind: itemKind,
    status: itemStatus,
    created_at: timestamp,
    /** Null where a person writes the answer (TS5). */
    suggestion: json,
    /** The output of the final decision; absent where there is none. */
    output: json.optional(),
  })
  .meta({ id: 'ItemAnswers' });
export type ItemAnswers = z.infer<typeof itemAnswers>;

export const listAnswers = endpointSchemas({
  auth: 'session',
  summary: 'Suggestions and final outputs of the newest items, newest first, without redacted ones; for owners',
  params: projectParams,
  query: z.object({
    after: z.string().max(200).optional(),
    limit: queryInteger(1, LIMITS.pageItems).prefault(20),
  }),
  reply: z.object({ data: z.array(itemAnswers), next_cursor: z.string().nullable() }),
});

export const apiKey = z
  .object({
    id: uuid,
    name: z.string(),
    last4: z.string(),
    /** What the key may do (K8). */
    scopes: z.array(z.enum(SCOPES)),
    created_at: timestamp,
    /** Who created it, by their current name; null for a key that the service created. */
    created_by: z.object({ user_id: uuid, name: z.string() }).nullable(),
    /** The key is refused from then on (K9); null: it never expires. */
    expires_at: timestamp.nullable(),
    last_used_at: timestamp.nullable(),
    revoked_at: timestamp.nullable(),
    abilities: abilitiesTo('revoke'),
  })
  .meta({ id: 'ApiKey' });
export type ApiKey = z.infer<typeof apiKey>;

export const listApiKeys = endpointSchemas({
  auth: 'session',
  summary: 'The API keys of a project, without their text',
  params: projectParams,
  reply: z.object({ data: z.array(apiKey), next_cursor: z.string().nullable() }),
});

export const createApiKey = endpointSchemas({
  auth: 'session',
  summary: 'Create an API key; the response shows its text once',
  status: 201,
  params: projectParams,
  body: z
    .strictObject({
      name: label.optional(),
      scopes: z.array(z.enum(SCOPES)).min(1).max(SCOPES.length).optional(),
      expires_at: timestamp.nullable().optional(),
    })
    .optional(),
  reply: apiKey.extend({ api_key: z.string() }),
});

export const revokeApiKey = endpointSchemas({
  auth: 'session',
  summary: 'Revoke an API key immediately',
  status: 204,
  params: z.object({ id: uuid, key_id: uuid }),
});

export const rotateWebhookSecret = endpointSchemas({
  auth: 'session',
  summary: 'Create a new webhook secret; the response shows its text once',
  params: projectParams,
  body: rotation.optional(),
  reply: rotated,
});

export const promoteWebhookSecret = endpointSchemas({
  auth: 'session',
  summary: 'Promote the new webhook secret; the old one stays in the secondary header for the overlap',
  status: 204,
  params: projectParams,
  body: z.strictObject({}).optional(),
});

/** A member of the project; `holding` counts the items they have claimed. */
export const member = z
  .object({
    user_id: uuid,
    address: z.string(),
    name: z.string().nullable(),
    role,
    holding: z.number().int(),
    abilities: abilitiesTo('change_role', 'rename', 'remove'),
  })
  .meta({ id: 'Member' });
export type Member = z.infer<typeof member>;

export const listMembers = endpointSchemas({
  auth: 'session',
  summary: 'The members of a project',
  params: projectParams,
  reply: z.object({ data: z.array(member), next_cursor: z.string().nullable() }),
});

/** The result: a member as they are now, or (202) an offer that the wallet has not accepted yet. */
export const added = z.discriminatedUnion('kind', [
  member.extend({ kind: z.literal('member') }),
  offer.extend({ kind: z.literal('offer') }),
]);
export type Added = z.infer<typeof added>;

export const addMember = endpointSchemas({
  auth: 'session',
  summary: 'Offer a wallet membership, or change the role of a member',
  description:
    'A wallet that is a member becomes a reviewer or supervisor immediately (201, `kind: "member"`), and so does one that already' +
    'shares a project with you and allows direct adding. Any other wallet gets an offer (202, `kind: "offer"`) and is' +
    'not a member until it accepts. Becoming an owner always requires acceptance: a member gets an offer too, and keeps their' +
    'current role until then. A new offer to the same wallet replaces the previous one.',
  status: 201,
  otherStatuses: [202],
  params: projectParams,
  body: z.strictObject({ address: z.string().max(64), role }),
  reply: added,
  errors: ['rate_limited'],
});

const memberParams = z.object({ id: uuid, user_id: uuid });

export const changeMember = endpointSchemas({
  auth: 'session',
  summary: 'Change the role of a member, or your own name',
  description:
    'A member becomes a reviewer or supervisor immediately (200, `kind: "member"`). A member who is to become an owner gets an offer' +
    '(202, `kind: "offer"`) and keeps their current role until they accept it.',
  otherStatuses: [202],
  params: memberParams,
  body: z.strictObject({ role: role.optional(), name: personName.optional() }),
  reply: added,
  errors: ['rate_limited'],
});

export const removeMember = endpointSchemas({
  auth: 'session',
  summary: 'Remove a member, or leave the project; `revoke_keys=true` also revokes the API keys they created',
  status: 204,
  params: memberParams,
  query: z.object({ revoke_keys: z.enum(['true']).optional() }),
});
