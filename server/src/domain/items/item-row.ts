// One row of a queue, the same for lists and events.
import type { Claim, Deadline, ItemRow, Reservation } from '@countersign/shared/schemas/parts/item';
import type { ItemKind, ItemStatus, OnDeadline } from '@countersign/shared/enums';
import { DEFAULT_ACTIONS, type SubmitterAction } from '@countersign/shared/review-actions';

/** What a row needs of an item; the database row has it too. */
export interface RowItem {
  id: string;
  projectId: string;
  status: ItemStatus;
  preview: string;
  title?: string | null;
  kind: ItemKind;
  allowedActions?: readonly SubmitterAction[] | null;
  hasSuggestion: boolean;
  /** Set where the suggestion does not satisfy its schema. */
  suggestionFaults?: string | null;
  confidence: number;
  riskFlags: string[];
  model?: string | null;
  source?: string | null;
  createdAt: Date;
  dueAt: Date;
  deadline?: Date | null;
  onDeadline?: OnDeadline | null;
  deadlineSpan?: number | null;
  deadlineExtended: boolean;
  deadlineExtension?: number | null;
  reservedFor?: string | null;
  reservedUntil?: Date | null;
  version: number;
}

/** LC7: what its submission lets reviewers do. */
export const allowedActionsOf = ({ allowedActions }: Pick<RowItem, 'allowedActions'>): readonly SubmitterAction[] =>
  allowedActions ?? DEFAULT_ACTIONS;

type WithDeadline = Pick<
  RowItem,
  'deadline' | 'onDeadline' | 'deadlineSpan' | 'deadlineExtended' | 'deadlineExtension'
>;

/** The first three columns are set together. */
export const toDeadline = ({
  deadline: at,
  onDeadline,
  deadlineSpan,
  deadlineExtended: extended,
  deadlineExtension,
}: WithDeadline): Deadline | null =>
  at && onDeadline && deadlineSpan
    ? { at: at.toISOString(), on_deadline: onDeadline, span_seconds: deadlineSpan + (deadlineExtension ?? 0), extended }
    : null;

/** SK3: only an item that waits for reviewers has one. Both columns are set together. */
const toReservation = ({ status, reservedFor, reservedUntil }: RowItem): Reservation | null =>
  status === 'queued' && reservedFor && reservedUntil
    ? { skill: reservedFor, until: reservedUntil.toISOString() }
    : null;

/** AU3: the row without the field that would identify audits when that is `hidden`. */
export const rowFor = (hidden: boolean, row: ItemRow): ItemRow => (hidden ? { ...row, confidence: null } : row);

export function toItemRow(item: RowItem, claim: Claim | null): ItemRow {
  const reserved = toReservation(item);
  return {
    id: item.id,
    project_id: item.projectId,
    status: item.status,
    preview: item.preview,
    title: item.title ?? null,
    kind: item.kind,
    allowed_actions: [...allowedActionsOf(item)],
    has_suggestion: item.hasSuggestion,
    invalid: typeof item.suggestionFaults === 'string',
    confidence: item.confidence,
    risk_flags: item.riskFlags,
    model: item.model ?? null,
    source: item.source ?? null,
    created_at: item.createdAt.toISOString(),
    due_at: item.dueAt.toISOString(),
    deadline: toDeadline(item),
    ...(reserved && { reserved }),
    version: item.version,
    claim,
  };
}
