// Reads the sample for what-if thresholds: the newest arrivals and decisions of a window, grouped (AN23).
import { SAMPLE_SIZE } from '@countersign/shared/limits';
import type { ThresholdSample } from '@countersign/shared/schemas/thresholds';
import type { RoutingRule } from '@countersign/shared/enums';
import { sampleOf, type Cohort, type SampleRows } from '../../domain/analytics/threshold-sample.ts';
import type { Em } from '../../db/orm.ts';
import { rawQuery } from '../../db/raw-query.ts';
import { RETAINED_SINCE } from '../../db/retention/retained-since.ts';
import { Project } from '../../db/entities/project.ts';
import { ProjectSettings } from '../../db/entities/project-settings.ts';
import { requirePermission } from '../access/membership.ts';
import type { MemberActor, Services } from '../services.ts';
import { newestDecisions } from '../decisions/newest-decisions.ts';
import { monthWindow, type TimeWindow, type WindowQuery } from './time-window.ts';
import { reviewTimeOf } from './review-time.ts';
import { needsPerson } from '../../domain/items/routing.ts';
import { JUDGING_ACTIONS, OVERRIDE_ACTIONS, type SubmitterAction } from '@countersign/shared/review-actions';
import { inList } from '../../db/in-list.ts';

/** The window is divided into this many blocks to measure the correlation of neighbours (AN24). */
const BLOCKS = 30;

/** Errors: `not_found`, `forbidden`, `validation_failed` (an empty window). */
export function readThresholds(services: Services, actor: MemberActor, query: WindowQuery): Promise<ThresholdSample> {
  return services.db.read(async (em) => {
    await requirePermission(em, { userId: actor.userId, projectId: query.projectId }, 'see_analytics');
    const now = services.clock.now();
    const window = monthWindow(query, now);
    const settings = await settingsOf(em, window.projectId);
    const arrivals = await arrivalsOf(em, window);
    const decisions = await decisionsOf(em, window);
    const versions = await versionsOf(em, window.projectId, [...arrivals, ...decisions]);
    return {
      from: window.from.toISOString(),
      to: window.to.toISOString(),
      server_time: now.toISOString(),
      settings,
      ...sampleOf({ arrivals, decisions, versions, escalateFlags: settings.escalate_flags }),
      arrivals: extentOf(arrivals, 'arrived'),
      decisions: extentOf(decisions, 'counted'),
      median: await reviewTimeOf(em, window),
    };
  });
}

async function settingsOf(em: Em, projectId: string): Promise<ThresholdSample['settings']> {
  const project = await em.findOneOrFail(Project, { id: projectId });
  return {
    auto_threshold: project.autoThreshold,
    review_threshold: project.reviewThreshold,
    below_review: project.belowReview,
    escalate_flags: project.escalateFlags,
    audit_rate: project.auditRate,
    settings_version: project.settingsVersion,
  };
}

interface CohortRow {
  confidence: number;
  risk_flags: string[];
  rule: RoutingRule;
  settings_version: number;
  is_invalid: boolean;
  has_suggestion: boolean;
  allowed_actions: SubmitterAction[] | null;
  block: number;
  oldest: string | Date;
}

const COHORT_COLUMNS =
  'i.confidence, i.risk_flags, i.rule, i.settings_version, i.is_invalid, i.has_suggestion, i.allowed_actions, i.block';

const toCohort = (row: CohortRow): Cohort & { oldest: Date } => ({
  confidence: row.confidence,
  flags: row.risk_flags,
  rule: row.rule,
  settingsVersion: row.settings_version,
  needsPerson: needsPerson({
    isInvalid: row.is_invalid,
    hasSuggestion: row.has_suggestion,
    allowedActions: row.allowed_actions,
  }),
  block: row.block,
  oldest: new Date(row.oldest),
});

/** What RT8 asks of an item. A redacted one has no faults any more, but whether it had any. */
const APPROVABLE =
  'coalesce(was_invalid, suggestion_faults is not null) as is_invalid, has_suggestion, allowed_actions';

async function arrivalsOf(em: Em, { projectId, from, to }: TimeWindow) {
  const rows = await rawQuery<CohortRow & { arrived: number }>(
    em,
    `select ${COHORT_COLUMNS}, count(*)::int as arrived, min(i.created_at) as oldest
     from (select *, ntile(${BLOCKS}) over (order by created_at, id) as block
         from (select id, confidence, risk_flags, rule, settings_version, ${APPROVABLE}, created_at from item
           where project_id = $1 and created_at >= $2 and created_at < $3 and created_at > ${RETAINED_SINCE}
           order by created_at desc, id desc limit ${SAMPLE_SIZE}) newest) i
     group by ${COHORT_COLUMNS}`,
    [projectId, from, to],
  );
  return rows.map((row) => ({ ...toCohort(row), arrived: row.arrived }));
}

const DECIDED = `d.action, d.decided_at, i.confidence, i.risk_flags, i.rule, i.settings_version,
  ${APPROVABLE},
  ntile(${BLOCKS}) over (order by i.created_at, i.id) as block`;

/** A supervisor who finalized an item did not judge its suggestion: it is in `counted`, not in `reviewed`. */
async function decisionsOf(em: Em, { projectId, from, to }: TimeWindow) {
  const rows = await rawQuery<CohortRow & { counted: number; reviewed: number; wrong: number }>(
    em,
    `select ${COHORT_COLUMNS}, count(*)::int as counted, min(i.decided_at) as oldest,
       count(*) filter (where i.action in (${inList(JUDGING_ACTIONS)}))::int as reviewed,
       count(*) filter (where i.action in (${inList(OVERRIDE_ACTIONS)}))::int as wrong
     from (${newestDecisions(DECIDED)}) i
     group by ${COHORT_COLUMNS}`,
    [projectId, from, to],
  );
  return rows.map(({ counted, reviewed, wrong, ...row }) => ({ ...toCohort(row), counted, reviewed, wrong }));
}

/** The settings that routed these rows (RT6). */
async function versionsOf(em: Em, projectId: string, rows: readonly Cohort[]): Promise<SampleRows['versions']> {
  const seen = [...new Set(rows.map(({ settingsVersion }) => settingsVersion))];
  const versions = await em.find(ProjectSettings, { projectId, version: { $in: seen } });
  return new Map(versions.map(({ version, settings }) => [version, settings]));
}

function extentOf<Name extends string>(rows: readonly (Record<Name, number> & { oldest: Date })[], name: Name) {
  const n = rows.reduce((sum, row) => sum + row[name], 0);
  const oldest = rows.reduce<Date | null>((first, row) => (first && first <= row.oldest ? first : row.oldest), null);
  return { n, limited: n >= SAMPLE_SIZE, since: oldest?.toISOString() ?? null };
}
