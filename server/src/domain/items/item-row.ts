// One row of a queue, the same for lists and events.
import type { Claim, ItemRow } from '@countersign/shared/schemas/parts/item';
import type { ItemStatus } from '@countersign/shared/enums';

/** What a row needs of an item; the database row has it too. */
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

/** AU3: the row without the field that would identify audits when that is `hidden`. */
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
