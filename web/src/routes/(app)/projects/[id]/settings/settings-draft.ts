// The draft of the project settings: its changes and faults, from the declarations of the settings.
import { excessOf } from '#lib/components/forms/length-limit.ts';
import type { Project } from '@countersign/shared/schemas/projects';
import {
  SETTING_NAMES,
  SETTINGS,
  type ListSetting,
  type NumberSetting,
  type PointersSetting,
  type ProjectSettings,
  type Setting,
  type SettingName,
  type SettingWith,
  type SkillsSetting,
  type SubsetSetting,
} from '@countersign/shared/settings';
import { RawJson, type Json } from '@countersign/shared/json/json';
import { isHostName } from '@countersign/shared/formats/host-name';
import { isItemPointer } from '@countersign/shared/formats/item-pointer';
import { isTimeZone } from '@countersign/shared/time-zone';
import { parseJson, printJson, sourceOf } from '#lib/values/json/lossless.ts';
import { isMarked } from './merge-lines.ts';
import { hasSkillFault, isSameSkill, sentSkills, skillEntries } from './skill-entries.ts';

export type FieldName = SettingName;
type ChoiceName = SettingWith<{ control: 'choice' }>;
type ListName = SettingWith<{ control: 'list' | 'pointers' | 'subset' | 'skills' }>;

/** The settings in the form: numbers as typed, so that `0.` is not reformatted while typing; pointers as `/input: text`. */
export type Draft = {
  [Name in FieldName]: Name extends ChoiceName ? ProjectSettings[Name] : Name extends ListName ? string[] : string;
};

/** In the order of their declarations. */
export const FIELDS: readonly FieldName[] = SETTING_NAMES;

/** The largest schema that the service accepts (`SCHEMA_LIMITS`, which loads the compiler). */
const SCHEMA_BYTES = 32 * 1024;

const settingOf = (field: FieldName): Setting => SETTINGS[field];

/** The form with the server's values. */
export const draftOf = (project: Project): Draft =>
  Object.fromEntries(
    FIELDS.map((field) => [
      field,
      field === 'skills'
        ? skillEntries(project.skills, project.skill_people)
        : typedOf(settingOf(field), project[field]),
    ]),
  ) as Draft;

/** A value as somebody would type it. */
function typedOf(setting: Setting, value: Project[Exclude<FieldName, 'skills'>]): string | string[] {
  if (setting.control === 'schema') return schemaText(value ?? null);
  if (Array.isArray(value)) return value.map(String);
  if (setting.control === 'pointers') return pointerEntries(value);
  if (typeof value === 'number' && setting.control === 'number' && !setting.integer) return thresholdText(value);
  // Empty for a value that is not set, or hidden from the user.
  return value === undefined || typeof value === 'object' ? '' : String(value);
}

/** A schema as its owner wrote it; one without line breaks is indented. The change log has the text itself. */
function schemaText(schema: Json): string {
  if (schema === null) return '';
  const text = typeof schema === 'string' ? schema : sourceOf(schema);
  return text.includes('\n') ? text : (readJson(text, 2) ?? text);
}

/** A text that is valid JSON, printed with this indentation; null for any other. */
function readJson(text: string, indent: number): string | null {
  try {
    return printJson(parseJson(text), indent);
  } catch {
    return null;
  }
}

/** Pointers and their options as entries of a list, in the order of the pointers: the server stores no order. */
const pointerEntries = (value: unknown): string[] =>
  Object.entries((value ?? {}) as Record<string, string>)
    .map(([pointer, option]) => pointerEntry(pointer, option))
    .sort();

export const pointerEntry = (pointer: string, option: string): string => `${pointer}: ${option}`;

/** The pointer and the option of an entry. No option contains a colon. */
export function readPointerEntry(entry: string): { pointer: string; option: string } {
  const at = entry.lastIndexOf(': ');
  return { pointer: entry.slice(0, at), option: entry.slice(at + 2) };
}

/** At least two decimals, and all existing ones: the field must read back as the same number. */
export function thresholdText(value: number): string {
  const two = value.toFixed(2);
  return Number(two) === value ? two : String(value);
}

/** A typed number; NaN when it is invalid. A decimal comma counts as a point. */
export const parseNumber = (typed: string): number =>
  /^\d*[.,]?\d+$|^\d+[.,]?$/.test(typed.trim()) ? Number(typed.trim().replace(',', '.')) : Number.NaN;

/** The value a field would send. */
function sentValue(field: FieldName, typed: Draft[FieldName]): unknown {
  const setting = settingOf(field);
  if (setting.control === 'pointers' && Array.isArray(typed)) return sentPointers(typed);
  if (setting.control === 'skills' && Array.isArray(typed)) return sentSkills(typed);
  if (typeof typed !== 'string' || setting.control === 'choice') return typed;
  if (setting.nullable && typed.trim() === '') return null;
  if (setting.control === 'number') return parseNumber(typed);
  if (setting.control === 'schema') return sentSchema(typed);
  return setting.control === 'text' ? typed.trim() : typed;
}

/** The text as it is written; compact where it is too large otherwise. What is no JSON is not sent (`faultsOf`). */
export function sentSchema(typed: string): RawJson {
  const text = typed.trim();
  const isLarge = new TextEncoder().encode(text).length > SCHEMA_BYTES;
  return new RawJson((isLarge ? readJson(text, 0) : null) ?? text);
}

const sentPointers = (entries: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    [...entries].sort().map((entry) => {
      const { pointer, option } = readPointerEntry(entry);
      return [pointer, option];
    }),
  );

/** Whether two typed values of a field would send the same. An invalid number equals only itself. */
export function sameValue(field: FieldName, a: Draft[FieldName], b: Draft[FieldName]): boolean {
  const [one, other] = [sentValue(field, a), sentValue(field, b)];
  if (Number.isNaN(one) || Number.isNaN(other)) return a === b;
  if (one instanceof RawJson && other instanceof RawJson)
    return one.text === other.text || (readJson(one.text, 0) ?? one) === readJson(other.text, 0);
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The fields that differ between two forms, in the order of the page. `0.950` and `0.95` do not differ. */
export const changedFields = (before: Draft, after: Draft): FieldName[] =>
  FIELDS.filter((field) => !sameValue(field, before[field], after[field]));

/** The body of the PATCH: changed fields only, with the version they were typed against. */
export function patchOf(
  before: Draft,
  after: Draft,
  settings_version: number,
): Partial<ProjectSettings> & { settings_version: number } {
  const entries = changedFields(before, after).map((field) => [field, sentValue(field, after[field])] as const);
  return { ...Object.fromEntries(entries), settings_version };
}

export type Fault =
  | 'not_a_number'
  | 'out_of_range'
  | 'not_whole'
  | 'above_auto'
  | 'empty'
  | 'no_zone'
  | 'no_reason'
  | 'too_many'
  | 'no_host'
  | 'no_pointer'
  | 'no_json'
  | 'left_out'
  | 'twice'
  | 'same_skill'
  | 'bad_skill'
  | 'too_long'
  | 'marked';

/** The faults of the form before it is sent (RT5 and the bounds of the declarations). */
export function faultsOf(draft: Draft): Partial<Record<FieldName, Fault>> {
  const found = FIELDS.flatMap((field): [FieldName, Fault][] => {
    const fault = faultIn(settingOf(field), draft[field]);
    return fault === null ? [] : [[field, fault]];
  });
  const faults = Object.fromEntries<Fault>(found) as Partial<Record<FieldName, Fault>>;
  const [review, auto] = [parseNumber(draft.review_threshold), parseNumber(draft.auto_threshold)];
  if (review > auto) faults.review_threshold ??= 'above_auto';
  return faults;
}

/** The fields with a fault, in the order of the page. */
export function faultyFields(draft: Draft): FieldName[] {
  const faults = faultsOf(draft);
  return FIELDS.filter((field) => faults[field] !== undefined);
}

function faultIn(setting: Setting, typed: Draft[FieldName]): Fault | null {
  if (setting.control === 'choice') return null;
  if (setting.control === 'list') return listFault(asList(typed), setting);
  if (setting.control === 'pointers') return pointersFault(asList(typed), setting);
  if (setting.control === 'subset') return subsetFault(asList(typed), setting);
  if (setting.control === 'skills') return skillsFault(asList(typed), setting);
  const text = String(typed);
  if (setting.nullable && text.trim() === '') return null;
  if (setting.control === 'number') return numberFault(text, setting);
  if (setting.control === 'schema') return readJson(text, 0) === null ? 'no_json' : null;
  const sent = setting.control === 'text' ? text.trim() : text;
  if (setting.format === 'time_zone' && !isTimeZone(sent)) return 'no_zone';
  if (sent.length < setting.minLength) return 'empty';
  if (setting.merge === 'lines' && isMarked(sent)) return 'marked';
  return excessOf(sent, setting.maxLength) > 0 ? 'too_long' : null;
}

const asList = (typed: Draft[FieldName]): readonly string[] => (Array.isArray(typed) ? typed : []);

function listFault(entries: readonly string[], { minEntries, maxEntries, format }: ListSetting): Fault | null {
  if (entries.length < minEntries) return 'no_reason';
  if (entries.length > maxEntries) return 'too_many';
  return format === 'host_name' && !entries.every(isHostName) ? 'no_host' : null;
}

function pointersFault(entries: readonly string[], { maxEntries, maxLength }: PointersSetting): Fault | null {
  const pointers = entries.map((entry) => readPointerEntry(entry).pointer);
  if (!pointers.every((pointer) => excessOf(pointer, maxLength) === 0 && isItemPointer(pointer))) return 'no_pointer';
  if (new Set(pointers).size < pointers.length) return 'twice';
  return pointers.length > maxEntries ? 'too_many' : null;
}

function skillsFault(entries: readonly string[], { maxEntries }: SkillsSetting): Fault | null {
  const isTwice = entries.some((entry, at) => entries.slice(0, at).some((other) => isSameSkill(entry, other)));
  if (isTwice) return 'same_skill';
  if (entries.some(hasSkillFault)) return 'bad_skill';
  return entries.length > maxEntries ? 'too_many' : null;
}

const subsetFault = (chosen: readonly string[], { always }: SubsetSetting): Fault | null =>
  always.every((option) => chosen.includes(option)) ? null : 'left_out';

function numberFault(typed: string, { min, max, integer }: NumberSetting): Fault | null {
  const value = parseNumber(typed);
  if (Number.isNaN(value)) return 'not_a_number';
  if (value < min || value > max) return 'out_of_range';
  return integer && !Number.isInteger(value) ? 'not_whole' : null;
}
