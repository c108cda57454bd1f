// Presents reminders in the wire format, with masked targets (NO6).
import { maskedUrl } from '@countersign/shared/formats/masked-url';
import type { NotificationMessage as WireMessage } from '@countersign/shared/schemas/webhook';
import { sentencesIn } from '../domain/notifications/message.ts';
import { SCHEDULE_SECONDS } from '../domain/webhooks/retry.ts';
import type { NotificationAttempt } from '../db/entities/notification-attempt.ts';
import type { NotificationMessage } from '../db/entities/notification-message.ts';

/** A message with its attempts, newest first. */
interface Shown {
  message: NotificationMessage;
  attempts: readonly NotificationAttempt[];
  circuitOpenUntil: Date | null;
  reachable: boolean;
}

/** As an owner sees it. */
export function presentNotificationMessage({ message, attempts, circuitOpenUntil, reachable }: Shown): WireMessage {
  return {
    id: message.id,
    kind: message.kind,
    target: maskedUrl(message.url),
    text: sentencesIn(message.kind, message.body).join(' '),
    status: message.status,
    run: { attempt: message.attempt - message.scheduleFrom, of: SCHEDULE_SECONDS.length },
    next_attempt_at: message.nextAttemptAt?.toISOString() ?? null,
    circuit_open_until: circuitOpenUntil?.toISOString() ?? null,
    http_status: message.httpStatus ?? null,
    error: message.error ?? null,
    created_at: message.createdAt.toISOString(),
    completed_at: message.completedAt?.toISOString() ?? null,
    attempts: attempts.map((attempt) => ({
      n: attempt.n,
      started_at: attempt.startedAt.toISOString(),
      duration_ms: attempt.totalMs,
      http_status: attempt.httpStatus ?? null,
      error: attempt.error ?? null,
    })),
    abilities: { resend: reachable && message.status !== 'sending' },
  };
}
