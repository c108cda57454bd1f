// Project settings as one value: read from the row, checked by RT5, stored as versions (RT6).
import { Refusal } from '@countersign/shared/errors';
import type { ProjectSettings } from '@countersign/shared/api/projects';
import { thresholdFault } from '../../domain/items/routing.ts';
import type { Project } from '../../db/entities/project.ts';
import type { Services } from '../services.ts';

/** The settings of a row, with the names of the API. */
export function settingsOf(project: Project): ProjectSettings {
  return {
    name: project.name,
    auto_threshold: project.autoThreshold,
    review_threshold: project.reviewThreshold,
    below_review: project.belowReview,
    escalate_flags: project.escalateFlags,
    guidelines: project.guidelines,
    reasons: project.reasons,
    audit_rate: project.auditRate,
    error_budget: project.errorBudget ?? null,
    over_budget: project.overBudget,
    undo_window_seconds: project.undoWindowSeconds,
    claim_lease_seconds: project.claimLeaseSeconds,
    target_minutes: project.targetMinutes,
    time_zone: project.timeZone,
    retention_payload_days: project.retentionPayloadDays ?? null,
    retention_attempt_days: project.retentionAttemptDays ?? null,
    retention_item_days: project.retentionItemDays ?? null,
    webhook_url: project.webhookUrl ?? null,
  };
}

/** The columns of a settings value. */
export function settingsColumns(settings: ProjectSettings) {
  return {
    name: settings.name,
    autoThreshold: settings.auto_threshold,
    reviewThreshold: settings.review_threshold,
    belowReview: settings.below_review,
    escalateFlags: settings.escalate_flags,
    guidelines: settings.guidelines,
    reasons: settings.reasons,
    auditRate: settings.audit_rate,
    errorBudget: settings.error_budget,
    overBudget: settings.over_budget,
    undoWindowSeconds: settings.undo_window_seconds,
    claimLeaseSeconds: settings.claim_lease_seconds,
    targetMinutes: settings.target_minutes,
    timeZone: settings.time_zone,
    retentionPayloadDays: settings.retention_payload_days,
    retentionAttemptDays: settings.retention_attempt_days,
    retentionItemDays: settings.retention_item_days,
    webhookUrl: settings.webhook_url,
  };
}

/** Refuses thresholds that break RT5. Errors: `validation_failed`. */
export function checkThresholds(settings: ProjectSettings): void {
  const fault = thresholdFault(settings);
  if (fault !== null) {
    const errors = [{ pointer: '#/review_threshold', code: 'RT5', detail: fault }];
    throw new Refusal('validation_failed', fault, { errors });
  }
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
