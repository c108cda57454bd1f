// One line of a queue, as lists and events carry it: the same projection for both.
import type { Claim, ItemRow } from '@countersign/shared/item';
import type { ItemStatus } from '@countersign/shared/enums';

/** What a row needs of an item; the database row satisfies it by structure. */
export interface RowItem {
  id: string;
  projectId: string;
  status: ItemStatus;
  preview: string;
  confidence: number;
  riskFlags: string[];
  model?: string | null;
  source?: string | null;
  createdAt: Date;
  dueAt: Date;
  version: number;
}

/** AU3: the row without what tells audits apart, where that is `hidden`. */
export const rowFor = (hidden: boolean, row: ItemRow): ItemRow => (hidden ? { ...row, confidence: null } : row);

export function toItemRow(item: RowItem, claim: Claim | null): ItemRow {
  return {
    id: item.id,
    project_id: item.projectId,
    status: item.status,
    preview: item.preview,
    confidence: item.confidence,
    risk_flags: item.riskFlags,
    model: item.model ?? null,
    source: item.source ?? null,
    created_at: item.createdAt.toISOString(),
    due_at: item.dueAt.toISOString(),
    version: item.version,
    claim,
  };
}
