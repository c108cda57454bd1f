// Stores the learning of a decision that overrides the suggestion.
import type { DecisionAction } from '@countersign/shared/enums';
import { isOverride } from '@countersign/shared/review-actions';
import type { Tx } from '../../db/database.ts';
import type { Item } from '../../db/entities/item.ts';
import { Learning } from '../../db/entities/learning.ts';
import { noteReason } from '../../db/learnings/assign-cluster.ts';
import type { Services } from '../services.ts';

/** A decision of a person, as it is stored. */
export interface StoredDecision {
  id: string;
  action: DecisionAction;
  output: string | null;
  reason: string | null;
  note: string | null;
  response: string | null;
  reviewerId: string;
  decidedAt: Date;
  revision?: number;
}

/** Stores the learning of a decision that overrides the suggestion, in the transaction of the decision; no effect for others. */
export async function storeLearning(
  services: Services,
  tx: Tx,
  { item, guidelinesVersion, decision }: { item: Item; guidelinesVersion: number; decision: StoredDecision },
): Promise<void> {
  const { id: decisionId, action, output, reason, note, response, reviewerId, decidedAt, revision = 1 } = decision;
  if (!isOverride(action)) return;
  const learning = {
    id: services.ids.uuid(),
    projectId: item.projectId,
    itemId: item.id,
    ...{ decisionId, action, output, reason: reason ?? '', note, response, reviewerId, revision },
    settingsVersion: item.settingsVersion,
    guidelinesVersion,
    excluded: false,
    createdAt: decidedAt,
  };
  // Without a reason it belongs to no cluster.
  if (learning.reason !== '') await noteReason(services, tx, learning);
  await tx.em.insert(Learning, learning);
}
