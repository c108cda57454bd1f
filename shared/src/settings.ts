// Every project setting, declared once: its values, default, place in the form, permission, change log text and merge.
import {
  BELOW_REVIEW,
  CONTENT_KINDS,
  DELIVERED_EVENTS,
  ON_DEADLINE,
  OVER_BUDGET,
  SENSITIVE_PICTURES,
  type Ability,
} from './enums.ts';
import { PROJECT_NAME_LENGTH, URL_LENGTH } from './limits.ts';
import type { Skill } from './skills.ts';

/** The parts of the settings form. */
export type Section =
  | 'project'
  | 'routing'
  | 'reasons'
  | 'time'
  | 'retention'
  | 'audit'
  | 'content'
  | 'guidelines'
  | 'webhook';

interface Common {
  section: Section;
  /** Who may change it: the members with this ability (PM). */
  changedBy: Extract<Ability, 'change_settings' | 'manage_webhook'>;
  /** How save bar and change log name a change: both values, the differing entries, or only that it was edited. */
  log: 'values' | 'entries' | 'edited';
  /** How two changes of it are merged (ST1): by choosing one, or also by combining entries or lines. */
  merge: 'choose' | 'flags' | 'entries' | 'lines';
  /** Its name in stored change logs and in forms that older pages stored. */
  formerly?: string;
}

/** What a new project starts with, unless its creator must say. */
type Start<Value> = { default: Value } | { required: true };

export type NumberSetting = Common & {
  control: 'number';
  min: number;
  max: number;
  integer: boolean;
  /** Null: not set. */
  nullable: boolean;
  /** What null means, in texts. */
  whenNull: 'none' | 'forever';
  /** Null: a share from 0 to 1. */
  unit: 'seconds' | 'minutes' | 'days' | null;
} & Start<number | null>;

export type TextSetting = Common & {
  control: 'text' | 'long_text';
  minLength: number;
  maxLength: number;
  nullable: boolean;
  /** Who removes white space around it. */
  trimmedBy: 'everyone' | 'form' | 'nobody';
  format?: 'time_zone';
} & Start<string | null>;

export type ChoiceSetting = Common & { control: 'choice'; options: readonly string[]; nullable: false } & Start<string>;

export type ListSetting = Common & {
  control: 'list';
  minEntries: number;
  maxEntries: number;
  /** Length of an entry. */
  maxLength: number;
  nullable: false;
  /** What the entries must be (shared/src/formats/host-name.ts). */
  format?: 'host_name';
} & Start<readonly string[]>;

/** Options by JSON pointers into an item (shared/src/formats/item-pointer.ts). */
export type PointersSetting = Common & {
  control: 'pointers';
  maxEntries: number;
  /** Length of a pointer. */
  maxLength: number;
  options: readonly string[];
  nullable: false;
} & Start<Readonly<Record<string, string>>>;

/** Some of the options, in their order. */
export type SubsetSetting = Common & {
  control: 'subset';
  options: readonly string[];
  /** Options that every value contains, and why. */
  always: readonly string[];
  whyAlways: string;
  nullable: false;
} & Start<readonly string[]>;

/** A JSON Schema for answers. Its value here is JSON text; requests and responses contain the schema itself. */
export type SchemaSetting = Common & { control: 'schema'; nullable: true } & Start<null>;

/** Who gets which items first (SK). */
export type SkillsSetting = Common & {
  control: 'skills';
  maxEntries: number;
  /** Length of a flag. */
  maxFlag: number;
  /** Length of a pointer or a value. */
  maxLength: number;
  maxPeople: number;
  minutes: { least: number; most: number };
  nullable: false;
} & Start<readonly Skill[]>;

export type Setting =
  | NumberSetting
  | TextSetting
  | ChoiceSetting
  | ListSetting
  | PointersSetting
  | SubsetSetting
  | SchemaSetting
  | SkillsSetting;

const OWNERS = { changedBy: 'change_settings' } as const;
const VALUE = { ...OWNERS, log: 'values', merge: 'choose' } as const;
const SHARE = { ...VALUE, control: 'number', min: 0, max: 1, integer: false, unit: null, whenNull: 'none' } as const;
const WHOLE = { ...VALUE, control: 'number', integer: true, whenNull: 'none' } as const;
const LIST = { ...OWNERS, control: 'list', log: 'entries', maxLength: 100, nullable: false } as const;
/** A retention period; null: never deleted (KE1). */
const RETENTION = {
  ...WHOLE,
  section: 'retention',
  unit: 'days',
  max: 3650,
  nullable: true,
  whenNull: 'forever',
  default: null,
} as const;

/** The schemas follow this order, and the parts of the form that list their settings. Rules: RT5, LC2, LC3. */
export const SETTINGS = {
  name: {
    ...VALUE,
    section: 'project',
    control: 'text',
    nullable: false,
    required: true,
    minLength: 1,
    maxLength: PROJECT_NAME_LENGTH,
    trimmedBy: 'everyone',
  },
  auto_threshold: { ...SHARE, section: 'routing', nullable: false, default: 0.95 },
  review_threshold: { ...SHARE, section: 'routing', nullable: false, default: 0.7 },
  below_review: {
    ...VALUE,
    section: 'routing',
    control: 'choice',
    options: BELOW_REVIEW,
    nullable: false,
    default: 'reject',
  },
  escalate_flags: {
    ...LIST,
    section: 'routing',
    minEntries: 0,
    maxEntries: 50,
    merge: 'flags',
    default: ['escalate', 'legal', 'high_value'],
  },
  /** Who gets which items first (SK). */
  skills: {
    ...OWNERS,
    section: 'routing',
    control: 'skills',
    log: 'entries',
    merge: 'choose',
    maxEntries: 20,
    maxFlag: 100,
    maxLength: 200,
    maxPeople: 50,
    minutes: { least: 1, most: 1440 },
    nullable: false,
    default: [],
  },
  reasons: {
    ...LIST,
    section: 'reasons',
    minEntries: 1,
    maxEntries: 20,
    merge: 'entries',
    default: ['Wrong fact', 'Misread question', 'Incomplete', 'Wrong tone', 'Policy', 'Other'],
  },
  target_minutes: {
    ...WHOLE,
    section: 'time',
    unit: 'minutes',
    min: 1,
    max: 43_200,
    nullable: false,
    default: 60,
  },
  /** The deadline of items that bring none, counted from their arrival (DL6); null: none. */
  deadline_minutes: {
    ...WHOLE,
    section: 'time',
    unit: 'minutes',
    min: 1,
    max: 525_600,
    nullable: true,
    default: null,
  },
  /** What happens at the deadline of items that do not say it (DL1). */
  on_deadline: {
    ...VALUE,
    section: 'time',
    control: 'choice',
    options: ON_DEADLINE,
    nullable: false,
    default: 'expire',
  },
  undo_window_seconds: {
    ...WHOLE,
    section: 'time',
    unit: 'seconds',
    min: 0,
    max: 30,
    nullable: false,
    default: 5,
  },
  claim_lease_seconds: {
    ...WHOLE,
    section: 'time',
    unit: 'seconds',
    min: 60,
    max: 900,
    nullable: false,
    default: 120,
  },
  /** Submitted, decided and sent payloads, counted from the end of processing of the item (KE2). */
  retention_payload_days: { ...RETENTION, min: 7, formerly: 'keep_payloads_days' },
  /** The attempts of its deliveries (KE3). */
  retention_attempt_days: { ...RETENTION, min: 7, formerly: 'keep_attempts_days' },
  /** The item itself with its events (KE4). */
  retention_item_days: { ...RETENTION, min: 30, formerly: 'keep_ledger_days' },
  /** The time zone of the days in analytics (AN6). */
  time_zone: {
    ...VALUE,
    section: 'project',
    control: 'text',
    nullable: false,
    default: 'UTC',
    minLength: 0,
    maxLength: 64,
    trimmedBy: 'form',
    format: 'time_zone',
  },
  audit_rate: { ...SHARE, section: 'audit', nullable: false, default: 0 },
  /** The share of automatic decisions that may be wrong (AU5); null: not set. */
  error_budget: { ...SHARE, section: 'audit', min: 0.001, nullable: true, default: null },
  /** When the budget may be exceeded, owners are notified; `raise` also raises the auto-approve threshold. */
  over_budget: {
    ...VALUE,
    section: 'audit',
    control: 'choice',
    options: OVER_BUDGET,
    nullable: false,
    default: 'tell',
  },
  /** The https hosts whose pictures, sound, video and PDF are shown, through this server (MP2). */
  media_hosts: {
    ...LIST,
    section: 'content',
    minEntries: 0,
    maxEntries: 20,
    maxLength: 253,
    merge: 'flags',
    format: 'host_name',
    default: [],
  },
  /** Pictures of items with one of these risk flags start as `sensitive_pictures` says (ST3). */
  sensitive_flags: { ...LIST, section: 'content', minEntries: 0, maxEntries: 50, merge: 'flags', default: [] },
  sensitive_pictures: {
    ...VALUE,
    section: 'content',
    control: 'choice',
    options: SENSITIVE_PICTURES,
    nullable: false,
    default: 'blur',
  },
  /** How the values at these pointers are shown (ST2): `/input/body` is `markdown`. */
  content_kinds: {
    ...OWNERS,
    section: 'content',
    control: 'pointers',
    log: 'entries',
    merge: 'entries',
    maxEntries: 50,
    maxLength: 200,
    options: CONTENT_KINDS,
    nullable: false,
    default: {},
  },
  /** What suggestions and outputs must be (TS); an item may bring its own. */
  answer_schema: {
    ...OWNERS,
    section: 'content',
    control: 'schema',
    log: 'edited',
    merge: 'choose',
    nullable: true,
    default: null,
  },
  guidelines: {
    ...OWNERS,
    section: 'guidelines',
    control: 'long_text',
    log: 'edited',
    merge: 'lines',
    nullable: false,
    minLength: 0,
    maxLength: 20_000,
    trimmedBy: 'nobody',
    default: '',
  },
  webhook_url: {
    ...VALUE,
    section: 'webhook',
    control: 'text',
    nullable: true,
    default: null,
    minLength: 0,
    maxLength: URL_LENGTH,
    trimmedBy: 'form',
  },
  /** The events that its first endpoint and its feed carry (WE1). */
  webhook_events: {
    ...OWNERS,
    section: 'webhook',
    control: 'subset',
    log: 'entries',
    merge: 'choose',
    options: DELIVERED_EVENTS,
    always: ['item.decided'],
    whyAlways: 'item.decided cannot be left out: it carries the decisions.',
    nullable: false,
    default: DELIVERED_EVENTS,
  },
} as const satisfies Record<string, Setting>;

type Settings = typeof SETTINGS;
export type SettingName = keyof Settings;

/** The values of a declaration, null included. */
type ValueOf<S extends Setting> =
  | (S extends { control: 'number' }
      ? number
      : S extends { control: 'skills' }
        ? Skill[]
        : S extends { control: 'list' }
          ? string[]
          : S extends { control: 'pointers'; options: readonly (infer Option extends string)[] }
            ? Record<string, Option>
            : S extends { control: 'subset'; options: readonly (infer Option)[] }
              ? Option[]
              : S extends { options: readonly (infer Option)[] }
                ? Option
                : string)
  | (S extends { nullable: true } ? null : never);

/** All settings of one project. */
export type ProjectSettings = { [Name in SettingName]: ValueOf<Settings[Name]> };

/** The settings with this value of a property, such as `{ section: 'time' }`. */
export type SettingWith<Part> = {
  [Name in SettingName]: Settings[Name] extends Part ? Name : never;
}[SettingName];

export const SETTING_NAMES = /* @__PURE__ */ Object.keys(SETTINGS) as SettingName[]; // the table has no other keys

/** The settings of a part of the form, in its order. */
export const settingsIn = <S extends Section>(section: S): SettingWith<{ section: S }>[] =>
  SETTING_NAMES.filter((name): name is SettingWith<{ section: S }> => SETTINGS[name].section === section);

const entries: [SettingName, Setting][] = SETTING_NAMES.map((name) => [name, SETTINGS[name]]);

export const DEFAULT_SETTINGS = Object.fromEntries(
  entries.flatMap(([name, setting]) => ('default' in setting ? [[name, setting.default]] : [])),
) as Omit<ProjectSettings, SettingWith<{ required: true }>>;

/** Names that settings had before, and their present names. */
export const RENAMED_SETTINGS: Readonly<Record<string, string>> = Object.fromEntries(
  entries.flatMap(([name, { formerly }]) => (formerly === undefined ? [] : [[formerly, name]])),
);
