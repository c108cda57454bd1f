// Forecasts whom the newest items of a project would be reserved for under other entries and rules (SK5).
import type { SkillForecast as Reply } from '@countersign/shared/schemas/previews';
import { SKILL_SAMPLE } from '@countersign/shared/limits';
import type { SubmitterAction } from '@countersign/shared/review-actions';
import type { ProjectSettings } from '@countersign/shared/settings';
import { rawQuery } from '../../db/raw-query.ts';
import { RETAINED_SINCE } from '../../db/retention/retained-since.ts';
import { needsPerson } from '../../domain/items/routing.ts';
import { routesOf } from '../../domain/skills/reservation.ts';
import { createForecast, type Arrival } from '../../domain/skills/skill-forecast.ts';
import { requirePermission } from '../access/membership.ts';
import type { MemberActor, Services } from '../services.ts';
import { skillPeopleOf } from './skills.ts';
import { createYielder } from '../yield-to-event-loop.ts';

/** How many items are in memory at a time: the metadata of each may have 256 KiB. */
const BATCH = 50;
/** One forecast parses no more metadata: a thousand items could have 256 MiB, which takes four seconds. */
const MAX_METADATA_CHARACTERS = 16 * 1024 * 1024;

type Rules = Pick<
  ProjectSettings,
  'skills' | 'auto_threshold' | 'review_threshold' | 'below_review' | 'escalate_flags'
>;

interface Input {
  projectId: string;
  rules: Rules;
}

/**
 * Redacted items are read and not counted: they have neither flags nor metadata any more. Where metadata is long, fewer items are
 * counted. Errors: `not_found`, `forbidden`.
 */
export async function forecastSkills(
  services: Services,
  actor: MemberActor,
  { projectId, rules: { skills, ...rules } }: Input,
): Promise<Reply> {
  await services.db.read((em) => requirePermission(em, { userId: actor.userId, projectId }, 'see_analytics'));
  // It is a change by its method alone: nothing else would notice that the session has ended (A21).
  await services.db.refuseEnded();
  const { forecast, add } = createForecast(routesOf(skills) ?? [], { ...rules, stopped: false });
  const yieldToOthers = createYielder();
  const read = { projectId, withMetadata: skills.some(({ match }) => 'metadata' in match) };
  let [items, parsed] = [0, 0];
  let last: Row | undefined;
  for (let seen = 0; seen < SKILL_SAMPLE && parsed < MAX_METADATA_CHARACTERS; seen += BATCH) {
    const rows = await readRows(services, read, last);
    for (const row of rows) {
      if (row.redacted) continue;
      add(toArrival(row));
      items += 1;
      parsed += row.metadata?.length ?? 0;
      await yieldToOthers();
    }
    last = rows.at(-1);
    if (rows.length < BATCH) break;
  }
  const counted = await services.db.read((em) => skillPeopleOf(em, [{ id: projectId, skills }]));
  const ids = new Set(counted.get(projectId)?.map(({ userId }) => userId));
  const entries = forecast.entries.map((entry, at) => ({
    ...entry,
    people: skills[at]?.people.filter((id) => ids.has(id)) ?? [],
  }));
  return { ...forecast, entries, items };
}

interface Row {
  id: string;
  created_at: string | Date;
  confidence: number;
  risk_flags: string[];
  metadata: string | null;
  is_invalid: boolean;
  has_suggestion: boolean;
  allowed_actions: SubmitterAction[] | null;
  deadline_span: number | null;
  redacted: boolean;
}

/** The next newest items after `last`. */
function readRows(
  services: Services,
  { projectId, withMetadata }: { projectId: string; withMetadata: boolean },
  last: Row | undefined,
): Promise<Row[]> {
  return services.db.read((em) =>
    rawQuery<Row>(
      em,
      `select id, created_at, confidence, risk_flags, ${withMetadata ? 'metadata' : 'null'} as metadata,
         suggestion_faults is not null as is_invalid, has_suggestion, allowed_actions, deadline_span,
         emptied_at is not null as redacted
       from item where project_id = $1 and created_at > ${RETAINED_SINCE}
         and ($2::timestamptz is null or (created_at, id) < ($2::timestamptz, $3::uuid))
       order by created_at desc, id desc limit ${BATCH}`,
      [projectId, last?.created_at ?? null, last?.id ?? null],
    ),
  );
}

function toArrival(row: Row): Arrival {
  const arrivedAt = new Date(row.created_at);
  const { is_invalid: isInvalid, has_suggestion: hasSuggestion, allowed_actions: allowedActions } = row;
  return {
    arrivedAt,
    confidence: row.confidence,
    riskFlags: row.risk_flags,
    metadata: row.metadata === null ? null : (JSON.parse(row.metadata) as Record<string, unknown>),
    needsPerson: needsPerson({ isInvalid, hasSuggestion, allowedActions }),
    deadline: row.deadline_span === null ? null : new Date(arrivedAt.getTime() + row.deadline_span * 1000),
  };
}
