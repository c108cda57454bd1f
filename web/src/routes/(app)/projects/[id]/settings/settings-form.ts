// The rules of the project form: its draft, changes and faults, and merging with another save.
import { RETENTION_DAYS, type Project, type ProjectSettings } from '@countersign/shared/api/projects';
import { isTimeZone } from '@countersign/shared/time-zone';
import { isMarked } from './merge-lines.ts';

/** The settings in the form: numbers as typed, so that `0.` is not reformatted while typing. */
export interface Draft {
  name: string;
  auto_threshold: string;
  review_threshold: string;
  below_review: ProjectSettings['below_review'];
  escalate_flags: string[];
  reasons: string[];
  guidelines: string;
  undo_window_seconds: string;
  claim_lease_seconds: string;
  target_minutes: string;
  retention_payload_days: string;
  retention_attempt_days: string;
  retention_item_days: string;
  time_zone: string;
  audit_rate: string;
  error_budget: string;
  over_budget: ProjectSettings['over_budget'];
  webhook_url: string;
}
export type FieldName = keyof Draft;

/** Limits of the numbers, from the contract's schema; `integer` ones take no fraction. */
export const NUMBERS = {
  auto_threshold: { min: 0, max: 1, integer: false },
  review_threshold: { min: 0, max: 1, integer: false },
  undo_window_seconds: { min: 0, max: 30, integer: true },
  claim_lease_seconds: { min: 60, max: 900, integer: true },
  target_minutes: { min: 1, max: 43_200, integer: true },
  retention_payload_days: { min: RETENTION_DAYS.minContent, max: RETENTION_DAYS.most, integer: true },
  retention_attempt_days: { min: RETENTION_DAYS.minContent, max: RETENTION_DAYS.most, integer: true },
  retention_item_days: { min: RETENTION_DAYS.minItems, max: RETENTION_DAYS.most, integer: true },
  audit_rate: { min: 0, max: 1, integer: false },
  error_budget: { min: 0.001, max: 1, integer: false },
} as const satisfies Partial<Record<FieldName, { min: number; max: number; integer: boolean }>>;
type NumberName = keyof typeof NUMBERS;

/** Fields that may be empty, and are then sent as null. */
const OPTIONAL: readonly FieldName[] = [
  'retention_payload_days',
  'retention_attempt_days',
  'retention_item_days',
  'error_budget',
  'webhook_url',
];

/** Limits of the lists and of the guidelines, from the contract's schema. */
export const MOST = { escalate_flags: 50, reasons: 20 } as const;
export const GUIDELINES_LENGTH = 20_000;

/** In the order of the page. */
export const FIELDS: readonly FieldName[] = [
  'name',
  'auto_threshold',
  'review_threshold',
  'below_review',
  'escalate_flags',
  'reasons',
  'undo_window_seconds',
  'claim_lease_seconds',
  'target_minutes',
  'retention_payload_days',
  'retention_attempt_days',
  'retention_item_days',
  'time_zone',
  'audit_rate',
  'error_budget',
  'over_budget',
  'guidelines',
  'webhook_url',
];

const isNumber = (field: FieldName): field is NumberName => field in NUMBERS;

/** The form with the server's values. */
export function draftOf(project: Project): Draft {
  return {
    name: project.name,
    auto_threshold: shown(project.auto_threshold),
    review_threshold: shown(project.review_threshold),
    below_review: project.below_review,
    escalate_flags: [...project.escalate_flags],
    reasons: [...project.reasons],
    guidelines: project.guidelines,
    undo_window_seconds: String(project.undo_window_seconds),
    claim_lease_seconds: String(project.claim_lease_seconds),
    target_minutes: String(project.target_minutes),
    retention_payload_days: String(project.retention_payload_days ?? ''),
    retention_attempt_days: String(project.retention_attempt_days ?? ''),
    retention_item_days: String(project.retention_item_days ?? ''),
    time_zone: project.time_zone,
    audit_rate: thresholdText(project.audit_rate),
    error_budget: shown(project.error_budget),
    over_budget: project.over_budget,
    webhook_url: project.webhook_url ?? '',
  };
}

/** Empty for a value that is not set, or hidden from the user. */
const shown = (value: number | null): string => (value === null ? '' : thresholdText(value));

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
  if (typeof typed !== 'string') return typed;
  if (OPTIONAL.includes(field) && typed.trim() === '') return null;
  if (isNumber(field)) return parseNumber(typed);
  if (field === 'webhook_url') return typed.trim();
  return field === 'name' || field === 'time_zone' ? typed.trim() : typed;
}

/** Whether two typed values of a field would send the same. An invalid number equals only itself. */
export function sameValue(field: FieldName, a: Draft[FieldName], b: Draft[FieldName]): boolean {
  const [one, other] = [sentValue(field, a), sentValue(field, b)];
  if (Number.isNaN(one) || Number.isNaN(other)) return a === b;
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
  | 'too_long'
  | 'marked';

/** The faults of the form before it is sent (RT5 and the schema's limits). */
export function faultsOf(draft: Draft): Partial<Record<FieldName, Fault>> {
  const faults: Partial<Record<FieldName, Fault>> = {};
  for (const field of FIELDS) {
    const fault = isNumber(field) ? numberFault(draft[field], field) : null;
    if (fault !== null) faults[field] = fault;
  }
  if (draft.name.trim() === '') faults.name = 'empty';
  if (!isTimeZone(draft.time_zone.trim())) faults.time_zone = 'no_zone';
  if (draft.reasons.length === 0) faults.reasons = 'no_reason';
  if (draft.reasons.length > MOST.reasons) faults.reasons = 'too_many';
  if (draft.escalate_flags.length > MOST.escalate_flags) faults.escalate_flags = 'too_many';
  if (draft.guidelines.length > GUIDELINES_LENGTH) faults.guidelines = 'too_long';
  if (isMarked(draft.guidelines)) faults.guidelines = 'marked';
  const [review, auto] = [parseNumber(draft.review_threshold), parseNumber(draft.auto_threshold)];
  if (review > auto) faults.review_threshold ??= 'above_auto';
  return faults;
}

/** The fields with a fault, in the order of the page. */
export function faultyFields(draft: Draft): FieldName[] {
  const faults = faultsOf(draft);
  return FIELDS.filter((field) => faults[field] !== undefined);
}

function numberFault(typed: string, field: NumberName): Fault | null {
  if (OPTIONAL.includes(field) && typed.trim() === '') return null;
  const value = parseNumber(typed);
  const { min, max, integer } = NUMBERS[field];
  if (Number.isNaN(value)) return 'not_a_number';
  if (value < min || value > max) return 'out_of_range';
  return integer && !Number.isInteger(value) ? 'not_whole' : null;
}
