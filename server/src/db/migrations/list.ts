// The migrations, oldest first. A released one never changes; the next is added at the end.
import { Initial } from './0001-initial.ts';
import { PublicApi } from './0002-public-api.ts';
import { InboundSources } from './0003-inbound-sources.ts';
import { Invites } from './0004-invites.ts';
import { SessionDevice } from './0005-session-device.ts';
import { Workbench } from './0006-workbench.ts';
import { Queue } from './0007-queue.ts';
import { EndpointHealth } from './0008-endpoint-health.ts';
import { Replays } from './0009-replays.ts';
import { Alerts } from './0010-alerts.ts';
import { Console } from './0011-console.ts';
import { WaitingByStatus } from './0012-waiting-by-status.ts';
import { Exports } from './0013-exports.ts';
import { Clusters } from './0014-clusters.ts';
import { Learnings } from './0015-learnings.ts';
import { Audits } from './0016-audits.ts';
import { Rollups } from './0017-rollups.ts';
import { Stop } from './0018-stop.ts';
import { RegressionKeys } from './0019-regression-keys.ts';
import { Keeping } from './0020-keeping.ts';
import { Emptied } from './0021-emptied.ts';
import { FewerIndexes } from './0022-fewer-indexes.ts';
import { Challenges, ChallengesIndex } from './0023-challenges.ts';
import { Placing, PlacingIndexes } from './0023-placing.ts';
import { Offers } from './0024-offers.ts';
import { AuditSalt } from './0025-audit-salt.ts';
import { AuditsWaiting } from './0025-audits-waiting.ts';
import { KeyScopes } from './0025-key-scopes.ts';
import { AuditsOff } from './0026-audits-off.ts';
import { RefusedWallets } from './0026-refused-wallets.ts';
import { AuditModels } from './0027-audit-models.ts';
import { Media } from './0028-media.ts';
import { MistakeReports } from './0029-mistake-reports.ts';
import { OwnFigures } from './0029-own-figures.ts';
import { QueueSorts } from './0030-queue-sorts.ts';
import { AnswerSchemas, ItemAnswerSchemas, ItemAnswerSchemasIndex } from './0031-answer-schemas.ts';
import { OverturnedDecisions } from './0032-overturned-decisions.ts';
import {
  CaseFaults,
  DecisionResponses,
  LearningResponses,
  OverridesWithResponses,
  ToolCalls,
} from './0033-tool-calls.ts';
import {
  DecisionChains,
  DecisionRevisions,
  FirstDecisions,
  LearningRevisions,
  OneDecisionNoMore,
  RevisedStatuses,
  RevisionEvents,
} from './0036-revisions.ts';
import { Withdrawal, WithdrawalCases, WithdrawalFeed } from './0034-withdrawal.ts';
import { DeadlineCases, DeadlineIndexes, Deadlines, DeadlineSettings } from './0035-deadlines.ts';
import { WebhookEvents } from './0037-webhook-events.ts';
import { Traceparent } from './0038-traceparent.ts';
import { Notifications } from './0039-notifications.ts';
import { NotificationAttempts } from './0040-notification-attempts.ts';
import { Retrying } from './0041-retrying.ts';
import { RetryWaiting } from './0041-retry-waiting.ts';
import { SecretOverlap } from './0041-secret-overlap.ts';
import { Samples } from './0041-samples.ts';
import { AlertEndpoints, EndpointIds, EndpointKey, Endpoints, ReplayEndpoints } from './0042-endpoints.ts';
import { DeliveriesOfEvent, DeliveryEndpointIndexes, DeliveryEndpoints } from './0042-endpoints-deliveries.ts';
import { ReservationIndexes, Reservations, Skills } from './0042-skills.ts';
import { AttemptedDeliveries } from './0043-attempted.ts';
import { HiddenReadiness } from './0043-readiness.ts';
import { DeadDeliveries } from './0044-dead.ts';
import { AlertsOfTopic, SeenAlerts } from './0045-seen-alerts.ts';
import { InvalidSuggestions } from './0046-invalid-suggestions.ts';
import { Verdicts } from './0046-verdicts.ts';
import { DeadlineExtension } from './0047-deadline-extension.ts';
import { EndpointStart } from './0048-endpoint-start.ts';
import { ReplacedReminders } from './0049-replaced-reminders.ts';

export const MIGRATIONS = [
  { name: '0001-initial', class: Initial },
  { name: '0002-public-api', class: PublicApi },
  { name: '0003-inbound-sources', class: InboundSources },
  { name: '0004-invites', class: Invites },
  { name: '0005-session-device', class: SessionDevice },
  { name: '0006-workbench', class: Workbench },
  { name: '0007-queue', class: Queue },
  { name: '0008-endpoint-health', class: EndpointHealth },
  { name: '0009-replays', class: Replays },
  { name: '0010-alerts', class: Alerts },
  { name: '0011-console', class: Console },
  { name: '0012-waiting-by-status', class: WaitingByStatus },
  { name: '0013-exports', class: Exports },
  { name: '0014-clusters', class: Clusters },
  { name: '0015-learnings', class: Learnings },
  { name: '0016-audits', class: Audits },
  { name: '0017-rollups', class: Rollups },
  { name: '0018-stop', class: Stop },
  { name: '0019-regression-keys', class: RegressionKeys },
  { name: '0020-keeping', class: Keeping },
  { name: '0021-emptied', class: Emptied },
  { name: '0022-fewer-indexes', class: FewerIndexes },
  { name: '0023-challenges', class: Challenges },
  { name: '0023-challenges-index', class: ChallengesIndex },
  { name: '0023-placing', class: Placing },
  { name: '0023-placing-indexes', class: PlacingIndexes },
  { name: '0024-offers', class: Offers },
  { name: '0025-audit-salt', class: AuditSalt },
  { name: '0025-audits-waiting', class: AuditsWaiting },
  { name: '0025-key-scopes', class: KeyScopes },
  { name: '0026-audits-off', class: AuditsOff },
  { name: '0026-refused-wallets', class: RefusedWallets },
  { name: '0027-audit-models', class: AuditModels },
  { name: '0028-media', class: Media },
  { name: '0029-mistake-reports', class: MistakeReports },
  { name: '0029-own-figures', class: OwnFigures },
  { name: '0030-queue-sorts', class: QueueSorts },
  { name: '0031-answer-schemas', class: AnswerSchemas },
  { name: '0031-answer-schemas-items', class: ItemAnswerSchemas },
  { name: '0031-answer-schemas-items-index', class: ItemAnswerSchemasIndex },
  { name: '0032-overturned-decisions', class: OverturnedDecisions },
  { name: '0033-tool-calls', class: ToolCalls },
  { name: '0033-tool-calls-cases', class: CaseFaults },
  { name: '0033-tool-calls-decisions', class: DecisionResponses },
  { name: '0033-tool-calls-learnings', class: LearningResponses },
  { name: '0033-tool-calls-overrides', class: OverridesWithResponses },
  { name: '0034-withdrawal', class: Withdrawal },
  { name: '0034-withdrawal-cases', class: WithdrawalCases },
  { name: '0034-withdrawal-feed', class: WithdrawalFeed },
  { name: '0035-deadlines', class: Deadlines },
  { name: '0035-deadlines-settings', class: DeadlineSettings },
  { name: '0035-deadlines-cases', class: DeadlineCases },
  { name: '0035-deadlines-indexes', class: DeadlineIndexes },
  { name: '0036-revisions', class: DecisionRevisions },
  { name: '0036-revisions-learnings', class: LearningRevisions },
  { name: '0036-revisions-chains', class: DecisionChains },
  { name: '0036-revisions-chains-alone', class: OneDecisionNoMore },
  { name: '0036-revisions-firsts', class: FirstDecisions },
  { name: '0036-revisions-events', class: RevisionEvents },
  { name: '0036-revisions-statuses', class: RevisedStatuses },
  { name: '0037-webhook-events', class: WebhookEvents },
  { name: '0038-traceparent', class: Traceparent },
  { name: '0039-notifications', class: Notifications },
  { name: '0040-notification-attempts', class: NotificationAttempts },
  { name: '0041-retrying', class: Retrying },
  { name: '0041-retry-waiting', class: RetryWaiting },
  { name: '0041-secret-overlap', class: SecretOverlap },
  { name: '0041-samples', class: Samples },
  { name: '0042-endpoints', class: Endpoints },
  { name: '0042-endpoints-alerts', class: AlertEndpoints },
  { name: '0042-endpoints-deliveries', class: DeliveryEndpoints },
  { name: '0042-endpoints-deliveries-indexes', class: DeliveryEndpointIndexes },
  { name: '0042-endpoints-events', class: DeliveriesOfEvent },
  { name: '0042-endpoints-ids', class: EndpointIds },
  { name: '0042-endpoints-key', class: EndpointKey },
  { name: '0042-endpoints-replays', class: ReplayEndpoints },
  { name: '0042-skills', class: Skills },
  { name: '0042-skills-items', class: Reservations },
  { name: '0042-skills-items-indexes', class: ReservationIndexes },
  { name: '0043-attempted', class: AttemptedDeliveries },
  { name: '0043-readiness', class: HiddenReadiness },
  { name: '0044-dead', class: DeadDeliveries },
  { name: '0045-seen-alerts', class: SeenAlerts },
  { name: '0045-seen-alerts-index', class: AlertsOfTopic },
  { name: '0046-invalid-suggestions', class: InvalidSuggestions },
  { name: '0046-verdicts', class: Verdicts },
  { name: '0047-deadline-extension', class: DeadlineExtension },
  { name: '0048-endpoint-start', class: EndpointStart },
  { name: '0049-replaced-reminders', class: ReplacedReminders },
];
