// Rule MR: who may report a mistake in a decision, see the report, and answer it.
import type { Role } from '@countersign/shared/enums';
import type { ReviewerDecision } from '@countersign/shared/review-actions';
import { may, mayAnswerMistakes, mayReportMistakes } from '../access/permissions.ts';

export interface MistakeSituation {
  /** The project is archived (AR1). */
  archived: boolean;
  /** The content of the item was deleted (KE2). */
  redacted: boolean;
  /** The author of the newest decision; null when the rules made it, or there is none. */
  decidedBy: string | null;
  /** The decision is final: its undo window has ended. */
  final: boolean;
  /** `decidedBy` is the author of the decision that it is about, which may have been revised since (RV6). */
  report: { decidedBy: string; reportedBy: string; answered: boolean } | null;
}

export interface MistakeAbilities {
  see: boolean;
  report: boolean;
  overturn: boolean;
  uphold: boolean;
}

/**
 * MR1: the author of a decision reports a mistake in it, and so does anyone who answers reports; once per item, and only the
 * person who reported may replace the note; never in redacted content (MR4). MR2: they and the author of the reported decision see it. MR3: nobody upholds their
 * own decision.
 */
export function mistakeAbilities(
  { userId, role }: { userId: string; role: Role },
  { archived, redacted, decidedBy, final, report }: MistakeSituation,
): MistakeAbilities {
  const answering = may(role, 'answer_mistakes');
  const concerned = answering || decidedBy === userId;
  const mine = (report?.decidedBy ?? decidedBy) === userId;
  const open = report !== null && !report.answered;
  const reportable = !redacted && (report === null || (open && report.reportedBy === userId));
  const answers = open && mayAnswerMistakes(role, archived);
  return {
    see: answering || mine || report?.reportedBy === userId,
    report: decidedBy !== null && final && concerned && reportable && mayReportMistakes(role, archived),
    overturn: answers,
    uphold: answers && !mine,
  };
}

/** A report with the names that its readers see. */
export interface ReportView {
  itemId: string;
  projectId: string;
  projectName: string;
  preview: string;
  title: string | null;
  action: ReviewerDecision;
  reason: string | null;
  decidedBy: string;
  decidedAt: Date;
  reportedBy: string;
  reportedAt: Date;
  note: string | null;
  overturned: boolean | null;
  answeredBy: string | null;
  answeredAt: Date | null;
  abilities: MistakeAbilities;
}
