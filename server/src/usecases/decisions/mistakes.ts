// Reports a mistake in a final decision, answers such a report (MR), and reads reports.
import { Refusal } from '@countersign/shared/errors';
import { ROLES, type Role, type MISTAKE_STATES } from '@countersign/shared/enums';
import type { ReviewerDecision } from '@countersign/shared/review-actions';
import type { Decision } from '../../db/entities/decision.ts';
import type { Item } from '../../db/entities/item.ts';
import { Learning } from '../../db/entities/learning.ts';
import { MistakeReport } from '../../db/entities/mistake-report.ts';
import { lockProject } from '../../db/lock-project.ts';
import { appendProjectChanged, recordChange } from '../../db/record-change.ts';
import { nameOfUser } from '../access/name-of-user.ts';
import type { Tx } from '../../db/database.ts';
import type { Em } from '../../db/orm.ts';
import { displayName, memberRef } from '../../domain/access/actor.ts';
import { may } from '../../domain/access/permissions.ts';
import { type MistakeAbilities, mistakeAbilities, type ReportView } from '../../domain/items/mistake.ts';
import { findItem, isArchived, notFound, refuseArchived, refuseUnless } from '../access/membership.ts';
import { endOf, olderThan, type Page, type PageQuery, toPage } from '../cursor.ts';
import { currentDecision } from './current-decision.ts';
import { markLearning } from '../learnings/change-learnings.ts';
import type { MemberActor, Services } from '../services.ts';

interface Situation {
  item: Item;
  role: Role;
  decision: Decision | null;
  report: MistakeReport | null;
  abilities: MistakeAbilities;
}

/** What a person may do about the decision that people see: on an audited item that is their verdict (AU2). */
async function situationOf(em: Em, actor: MemberActor, itemId: string): Promise<Situation> {
  const { item, role } = await findItem(em, actor.userId, itemId);
  const decision = await currentDecision(em, item);
  const report = await em.findOne(MistakeReport, { itemId });
  const abilities = mistakeAbilities(
    { userId: actor.userId, role },
    {
      archived: await isArchived(em, item.projectId),
      redacted: Boolean(item.redactedAt),
      decidedBy: decision?.reviewerId ?? null,
      final: Boolean(decision?.finalAt),
      report: report && {
        ...{ decidedBy: report.decidedBy, reportedBy: report.reportedBy },
        answered: Boolean(report.answeredAt),
      },
    },
  );
  return { item, role, decision, report, abilities };
}

/**
 * Locks the project, then the item: retention waits until the report is stored, and takes its note or the report with the item.
 * Errors: `forbidden` in an archived project, `not_found` for an item that retention has just deleted.
 */
export async function lockDecided(em: Em, { id, projectId }: Item): Promise<void> {
  await lockProject(em, projectId);
  await refuseArchived(em, projectId);
  const locked = await em.execute('select 1 from item where id = ? for no key update', [id]);
  if (locked.length === 0) throw notFound();
}

/** The report of an item, null for people who may not see it (MR2), and whether the actor may report one. Errors: `not_found`. */
export function readMistake(
  services: Services,
  actor: MemberActor,
  itemId: string,
): Promise<{ report: ReportView | null; mayReport: boolean }> {
  return services.db.read(async (em) => {
    const { report, abilities } = await situationOf(em, actor, itemId);
    const [view = null] = report && abilities.see ? await viewsOf(em, actor, [itemId]) : [];
    return { report: view, mayReport: abilities.report };
  });
}

/**
 * MR1: one report per item; while it is open, its author may replace the note. Errors: `not_found`, `forbidden`,
 * `validation_failed` for a decision that is not final, a redacted item, and a report that exists.
 */
export async function reportMistake(
  services: Services,
  actor: MemberActor,
  { itemId, note }: { itemId: string; note: string | null },
): Promise<void> {
  await services.db.write(async (tx) => {
    const { item: found } = await findItem(tx.em, actor.userId, itemId);
    await lockDecided(tx.em, found);
    const situation = await situationOf(tx.em, actor, itemId);
    const { decision, report, abilities } = situation;
    if (!abilities.report || !decision?.reviewerId) throw reportRefusal(actor, situation);
    const { projectId } = found;
    if (report !== null) {
      // A new note fills no line of the change log, and the same one tells nobody again.
      if ((report.note ?? null) === note) return;
      await tx.em.nativeUpdate(MistakeReport, { itemId }, { note });
      return appendProjectChanged(tx, { projectId, changed: ['mistakes'], by: memberRef(actor) });
    }
    await tx.em.insert(MistakeReport, {
      ...{ itemId, projectId, decisionId: decision.id, decidedBy: decision.reviewerId },
      ...{ reportedBy: actor.userId, note, reportedAt: services.clock.now() },
      ...{ overturned: null, answeredBy: null, answeredAt: null },
    });
    await recordChange(
      services,
      { tx, by: memberRef(actor) },
      {
        projectId,
        changed: ['mistakes'],
        action: 'mistake.reported',
        subject: await nameOfUser(tx, decision.reviewerId),
        subjectId: decision.reviewerId,
      },
    );
  });
}

function reportRefusal(actor: MemberActor, { item, decision, report }: Situation): Refusal {
  if (!decision?.reviewerId)
    return new Refusal('validation_failed', 'No person has decided this item, so there is no decision to report.');
  if (!decision.finalAt)
    return new Refusal('validation_failed', 'This decision can still be undone. Undo it instead of reporting it.');
  if (item.redactedAt)
    return new Refusal(
      'validation_failed',
      'The submission was deleted under the retention policy, so no mistake in it can be reported any more.',
    );
  if (report?.answeredAt)
    return new Refusal(
      'validation_failed',
      'A mistake in this item was already reported and answered. A supervisor or owner can revise the decision.',
    );
  if (report !== null && report.reportedBy !== actor.userId)
    return new Refusal('validation_failed', 'Someone else has reported this decision; it waits for an answer.');
  return new Refusal('forbidden', 'Only the person who decided, a supervisor or an owner can report a mistake here.');
}

/**
 * MR3: an overturned decision counts as a mistake of its author, and its learning is excluded (MR4). The decision and its
 * delivery stay. Errors: `not_found`, `forbidden`, `validation_failed` without an open report.
 */
export async function answerMistake(
  services: Services,
  actor: MemberActor,
  { itemId, overturned }: { itemId: string; overturned: boolean },
): Promise<void> {
  await services.db.write(async (tx) => {
    const { item, role } = await findItem(tx.em, actor.userId, itemId);
    refuseUnless(role, 'answer_mistakes');
    await lockDecided(tx.em, item);
    const { report, abilities } = await situationOf(tx.em, actor, itemId);
    if (report === null) throw new Refusal('validation_failed', 'No mistake was reported in this decision.');
    if (report.answeredAt)
      throw new Refusal('validation_failed', 'This report was already answered. Read the item again.');
    if (!overturned && !abilities.uphold)
      throw new Refusal('forbidden', 'You cannot uphold your own decision. Ask another supervisor or an owner.');
    await storeAnswer(services, { tx, actor }, { report, overturned });
    const learning = overturned ? await tx.em.findOne(Learning, { decisionId: report.decisionId }) : null;
    if (learning !== null) await markLearning(services, { tx, actor }, { learning, excluded: true });
  });
}

async function storeAnswer(
  services: Services,
  { tx, actor }: { tx: Tx; actor: MemberActor },
  { report, overturned }: { report: MistakeReport; overturned: boolean },
): Promise<void> {
  const { itemId, projectId, decidedBy } = report;
  const answer = { overturned, answeredBy: actor.userId, answeredAt: services.clock.now() };
  await tx.em.nativeUpdate(MistakeReport, { itemId }, answer);
  await recordChange(
    services,
    { tx, by: memberRef(actor) },
    {
      projectId,
      changed: ['mistakes'],
      action: overturned ? 'mistake.overturned' : 'mistake.upheld',
      subject: await nameOfUser(tx, decidedBy),
      subjectId: decidedBy,
    },
  );
}

/** RV6: a revision answers the open report about the decision that it replaces, if there is one. */
export async function overturnReport(services: Services, by: { tx: Tx; actor: MemberActor }, itemId: string) {
  const report = await by.tx.em.findOne(MistakeReport, { itemId, answeredAt: null });
  if (report !== null) await storeAnswer(services, by, { report, overturned: true });
}

/** The roles that answer reports, as a parameter of SQL. */
const ANSWERING = `{${ROLES.filter((role) => may(role, 'answer_mistakes')).join(',')}}`;

const OLDER = olderThan('r.reported_at, r.item_id');

export interface MistakeQuery extends Omit<PageQuery, 'projectId'> {
  state: (typeof MISTAKE_STATES)[number];
}

/** The reports that the actor may answer, or that were answered, newest first. Errors: `invalid_cursor`. */
export function listMistakes(
  services: Services,
  actor: MemberActor,
  { state, after, limit }: MistakeQuery,
): Promise<Page<ReportView>> {
  return services.db.read(async (em) => {
    const rows = await em.execute<{ item_id: string }[]>(
      `select r.item_id from member m
       join project p on p.id = m.project_id and p.deleted_at is null
       join mistake_report r on r.project_id = m.project_id
       where m.user_id = ? and m.role = any(?::text[]) and (r.answered_at is null) = ? and ${OLDER}
       order by r.reported_at desc, r.item_id desc limit ?`,
      [actor.userId, ANSWERING, state === 'open', ...endOf(after), limit + 1],
    );
    const views = await viewsOf(
      em,
      actor,
      rows.map(({ item_id: id }) => id),
    );
    return toPage(views, limit, ({ reportedAt: at, itemId: id }) => ({ at, id }));
  });
}

interface ReportRow {
  item_id: string;
  project_id: string;
  project: string;
  archived: boolean;
  redacted_at: string | Date | null;
  preview: string;
  title: string | null;
  action: ReviewerDecision;
  reason: string | null;
  decided_at: string | Date;
  reported_at: string | Date;
  note: string | null;
  overturned: boolean | null;
  answered_at: string | Date | null;
  role: Role;
  decided_by: string;
  reported_by: string;
  /** Who decided, who reported and who answered. */
  people: { id: string; name: string | null; address: string }[];
  answered_by: string | null;
}

const REPORTS = `
  select r.*, p.name as project, p.archived_at is not null as archived, i.emptied_at as redacted_at, i.preview, i.title, d.action, d.reason, d.decided_at, m.role,
    (select json_agg(json_build_object('id', u.id, 'name', u.name, 'address', u.address)) from app_user u
      where u.id in (r.decided_by, r.reported_by, r.answered_by)) as people
  from mistake_report r
  join project p on p.id = r.project_id
  join item i on i.id = r.item_id
  join decision d on d.id = r.decision_id
  join member m on m.project_id = r.project_id and m.user_id = ?
  where r.item_id = any(?::uuid[])
  order by r.reported_at desc, r.item_id desc`;

async function viewsOf(em: Em, actor: MemberActor, itemIds: readonly string[]): Promise<ReportView[]> {
  if (itemIds.length === 0) return [];
  const rows = await em.execute<ReportRow[]>(REPORTS, [actor.userId, `{${itemIds.join(',')}}`]);
  return rows.map((row) => viewOf(row, actor.userId));
}

function viewOf(row: ReportRow, userId: string): ReportView {
  const named = (id: string): string => {
    const user = row.people.find((each) => each.id === id);
    return user === undefined ? 'Someone' : displayName(user);
  };
  const report = { decidedBy: row.decided_by, reportedBy: row.reported_by, answered: row.answered_at !== null };
  const redacted = row.redacted_at !== null;
  const situation = { archived: row.archived, redacted, decidedBy: row.decided_by, final: true, report };
  return {
    ...{
      itemId: row.item_id,
      projectId: row.project_id,
      projectName: row.project,
      preview: row.preview,
      title: row.title,
    },
    ...{ action: row.action, reason: row.reason, note: row.note, overturned: row.overturned },
    ...{ decidedBy: named(row.decided_by), decidedAt: new Date(row.decided_at) },
    ...{ reportedBy: named(row.reported_by), reportedAt: new Date(row.reported_at) },
    answeredBy: row.answered_by === null ? null : named(row.answered_by),
    answeredAt: row.answered_at === null ? null : new Date(row.answered_at),
    abilities: mistakeAbilities({ userId, role: row.role }, situation),
  };
}
