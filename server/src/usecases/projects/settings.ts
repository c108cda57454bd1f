// Project settings as one value: read from the row, checked by RT5, stored as versions (RT6).
import { Refusal } from '@countersign/shared/errors';
import {
  SETTING_NAMES,
  SETTINGS,
  type ProjectSettings,
  type Setting,
  type SettingName,
} from '@countersign/shared/settings';
import { thresholdFault } from '../../domain/items/routing.ts';
import type { Project } from '../../db/entities/project.ts';
import type { Em } from '../../db/orm.ts';
import { insertSchemas } from '../../db/submit-batch.ts';
import { type AnswerSchema, readAnswerSchema } from '../items/answer-schemas.ts';
import type { Services } from '../services.ts';

type Camel<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name;

/** The columns of the settings. A setting without a property of this name in the entity does not compile. */
type SettingColumns = { [Name in SettingName as Camel<Name>]: ProjectSettings[Name] };

const columnOf = (name: SettingName): keyof SettingColumns =>
  name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()) as keyof SettingColumns;

/** The settings of a row, with the names of the API. */
export const settingsOf = (project: Pick<Project, keyof SettingColumns>): ProjectSettings =>
  Object.fromEntries(SETTING_NAMES.map((name) => [name, project[columnOf(name)] ?? null])) as ProjectSettings;

/** The columns of a settings value. */
export const settingsColumns = (settings: ProjectSettings): SettingColumns =>
  Object.fromEntries(SETTING_NAMES.map((name) => [columnOf(name), settings[name]])) as SettingColumns;

/** The permissions that a change of these settings requires. */
export const permissionsFor = (changes: Partial<ProjectSettings>): Setting['changedBy'][] => {
  const changed = SETTING_NAMES.filter((name) => name in changes).map((name) => SETTINGS[name].changedBy);
  return changed.length === 0 ? ['change_settings'] : [...new Set(changed)];
};

/** Refuses thresholds that break RT5. Errors: `validation_failed`. */
export function checkThresholds(settings: ProjectSettings): void {
  const fault = thresholdFault(settings);
  if (fault !== null) {
    const errors = [{ pointer: '#/review_threshold', code: 'RT5', detail: fault }];
    throw new Refusal('validation_failed', fault, { errors });
  }
}

/** The row of the answer schema of these settings; null where there is none. Errors: `schema_invalid`. */
export function schemaOf({ answer_schema: text }: Pick<ProjectSettings, 'answer_schema'>): AnswerSchema | null {
  return text === null ? null : readAnswerSchema(text, '#/answer_schema');
}

/** Stores the schema of a project, by whose digest its items name it (TS). Returns the column of the project. */
export async function storeSchema(
  em: Em,
  projectId: string,
  { schema, now }: { schema: AnswerSchema | null; now: Date },
): Promise<{ answerSchemaDigest: string | null }> {
  if (schema !== null) await insertSchemas(em, [{ projectId, digest: schema.digest, text: schema.text }], now);
  return { answerSchemaDigest: schema?.digest ?? null };
}

/**
 * Refuses a URL that the SSRF guard refuses after looking its name up (W1, W2). Call it only for people who may set the URL, and
 * before any transaction. `member` is the URL's field in the body. Errors: `webhook_url_refused`.
 */
export async function checkWebhookUrl(
  { refuseWebhookUrl }: Pick<Services, 'refuseWebhookUrl'>,
  url: string,
  member = 'webhook_url',
): Promise<void> {
  const refused = await refuseWebhookUrl(url);
  if (refused === null) return;
  const errors = [{ pointer: `#/${member}`, code: 'webhook_url_refused', detail: refused }];
  throw new Refusal('webhook_url_refused', refused, { errors });
}
