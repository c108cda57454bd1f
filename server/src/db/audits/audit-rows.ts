// Reads the audits that count for the current auto-approve threshold: grouped by audit rate, and one by one (AU4).
import type { AuditStratum } from '../../domain/audits/audit-error.ts';
import type { Audit } from '../../domain/audits/raised-threshold.ts';
import type { Em } from '../orm.ts';
import { rawQuery } from '../raw-query.ts';
import { RETAINED_SINCE } from '../retention/retained-since.ts';
import { JUDGING_ACTIONS, OVERRIDE_ACTIONS } from '@countersign/shared/review-actions';
import { inList } from '../in-list.ts';

/** Arrivals of one project within a time span. */
export interface AuditSpan {
  projectId: string;
  from: Date;
  to: Date;
  /** Only items that this settings version or a later one routed. */
  version?: number;
}

/** Reading audits takes time, and the newest are the most relevant. */
export const MOST_AUDITS = 10_000;

/**
 * $1: the project, $2 and $3: the span, $4: its version. Only audits of items that would be auto-approved today,
 * sampled while everything from today's threshold on was auto-approved: audits under a higher threshold say nothing
 * about items below it. And only of a time whose items all still exist (KE5).
 */
const RECENT = `
  recent as (
    select i.id, i.settings_version, i.confidence, i.status in ('queued', 'escalated') or i.public_status is not null as waits
    from item i join project p on p.id = i.project_id
    where i.project_id = $1 and i.audit and i.created_at >= $2::timestamptz and i.created_at < $3::timestamptz
      and i.created_at > ${RETAINED_SINCE}
      and i.settings_version >= $4::int and i.confidence >= p.auto_threshold and i.auto_threshold <= p.auto_threshold
    order by i.created_at desc limit ${MOST_AUDITS})`;

const judges = (decision: string): string => `${decision}.action in (${inList(JUDGING_ACTIONS)})`;

/**
 * A decision without an answer is not a verdict on the suggestion, and neither is one that can still be undone (LC2). A revision
 * replaces the verdict (RV4). Where there was none it is none either: only wrong answers among these are revised, so they are no
 * random sample.
 */
const VERDICT = `decision d on d.item_id = r.id and d.superseded_at is null and d.final_at is not null and ${judges('d')}
  and (d.audit or d.revision > 1
    and exists (select from decision v where v.item_id = r.id and v.audit and ${judges('v')}))`;
const WRONG = `d.action in (${inList(OVERRIDE_ACTIONS)})`;

/** The audit rate at which an item was sampled. */
const DRAWN_AT = `join project_settings s on s.project_id = $1 and s.version = r.settings_version`;
const RATE = `(s.settings ->> 'audit_rate')::float8`;

const timesOf = ({ projectId, from, to }: AuditSpan) => [projectId, from.toISOString(), to.toISOString()];
const valuesOf = (span: AuditSpan) => [...timesOf(span), span.version ?? 1];

interface AuditCounts {
  strata: AuditStratum[];
  /** How many of them have no final verdict yet. The others without a verdict ended without: they expired or were withheld. */
  waiting: number;
  /** There are more than were counted. */
  more: boolean;
}

/** Grouped by rate; at most 10 000 audits of the span, `more` when there are that many. */
export async function auditStrata(em: Em, span: AuditSpan): Promise<AuditCounts> {
  const rows = await rawQuery<Record<keyof AuditStratum | 'waiting', string | number>>(
    em,
    `with ${RECENT}
     select ${RATE} as rate, count(*) as drawn, count(d.id) as judged, count(*) filter (where r.waits) as waiting,
       count(*) filter (where ${WRONG}) as wrong
     from recent r ${DRAWN_AT} left join ${VERDICT}
     group by 1 order by 1`,
    valuesOf(span),
  );
  const strata = rows.map(({ rate, drawn, judged, wrong }) => ({
    rate: Number(rate),
    drawn: Number(drawn),
    judged: Number(judged),
    wrong: Number(wrong),
  }));
  const waiting = rows.reduce((sum, row) => sum + Number(row.waiting), 0);
  return { strata, waiting, more: strata.reduce((sum, { drawn }) => sum + drawn, 0) === MOST_AUDITS };
}

/** The audits one by one. */
export function readDrawn(em: Em, span: AuditSpan): Promise<Audit[]> {
  return rawQuery<Audit>(
    em,
    `with ${RECENT} select r.confidence, ${RATE} as rate, case when d.id is not null then ${WRONG} end as wrong
     from recent r ${DRAWN_AT} left join ${VERDICT}`,
    valuesOf(span),
  );
}

/** Whether audits were off for part of the span. */
export async function hasGap(em: Em, span: AuditSpan): Promise<boolean> {
  const rows = await rawQuery<{ gap: boolean }>(
    em,
    `select exists (
       select from (
         select (settings ->> 'audit_rate')::float8 as rate, changed_at as since,
           lead(changed_at, 1, 'infinity') over (order by version) as until
         from project_settings where project_id = $1) s
       where s.rate = 0 and s.until > $2::timestamptz and s.since < $3::timestamptz and s.until > s.since) as gap`,
    timesOf(span),
  );
  return rows[0]?.gap ?? false;
}
