// The decision object, the same for webhooks, the public API and people (docs/spec/items.md#decision).
import type { Decision } from '@countersign/shared/schemas/parts/decision';
import { rawJson } from '@countersign/shared/json/json';
import type { DecisionAction, DecisionStatus } from '@countersign/shared/enums';

/** The columns of a decision that the object is made of. */
export interface DecisionRow {
  id: string;
  status: DecisionStatus;
  action: DecisionAction;
  /** JSON text of the approved output; null unless approved. */
  output?: string | null;
  edited: boolean;
  reason?: string | null;
  note?: string | null;
  /** The answer in words; null for any other action. */
  response?: string | null;
  reviewerId?: string | null;
  decidedAt: Date;
  /** From 2 for a revision; 1 or absent for a first decision. */
  revision?: number;
  revises?: string | null;
}

export function toDecision(decision: DecisionRow): Decision {
  return {
    id: decision.id,
    status: decision.status,
    action: decision.action,
    output: typeof decision.output === 'string' ? rawJson(decision.output) : null,
    edited: decision.edited,
    reason: decision.reason ?? null,
    note: decision.note ?? null,
    ...(typeof decision.response === 'string' && { response: decision.response }),
    reviewer_id: decision.reviewerId ?? null,
    decided_at: decision.decidedAt.toISOString(),
    ...(isRevision(decision) && { revision: decision.revision, revises: decision.revises ?? null }),
  };
}

/** Whether it revises another decision: only revisions say their place in the chain (RV2). */
export const isRevision = ({ revision = 1 }: DecisionRow): boolean => revision > 1;
