// How an item that the reader does not hold stands to them, and what is safe, in one sentence.
import { clock } from '#lib/clock.svelte.ts';
import { queueText as text } from '#lib/queue-text.ts';
import type { ItemDetail } from '@countersign/shared/item';
import type { DecisionAction } from '@countersign/shared/words';
import type { Stage } from './desk-model.ts';
import { deskText } from './desk-text.ts';

/** The past tense of a decision, as in "Ana decided this: rejected". */
export const DID: Record<DecisionAction, string> = {
  auto_approve: 'approved automatically',
  approve: 'approved',
  edit: 'edited and approved',
  reject: 'rejected',
  finalize: 'kept with people',
};

interface Standing {
  detail: ItemDetail;
  stage: Exclude<Stage, 'mine' | 'loading'>;
  me: string;
  /** Something typed is open or kept. */
  draft: boolean;
  /** The reader had it before. */
  lost: boolean;
}

export function standingWords({ detail, stage, me, draft, lost }: Standing): string {
  if (stage === 'held') return text.standing.held(detail.claim?.name ?? text.someone);
  if (stage === 'ended') return draft ? text.standing.ended : text.standing.endedQuiet;
  if (stage === 'free' && lost) return deskText.standing.back(draft);
  if (stage === 'free' && draft) return deskText.standing.draft;
  if (stage !== 'decided') return text.standing[stage];
  const { decision, undo_until, decided_by } = detail;
  const left = undo_until === null ? 0 : Math.ceil((Date.parse(undo_until) - clock.now) / 1000);
  if (left <= 0 || decision === null) return text.conflict.final;
  return text.conflict.undo(decision.reviewer_id === me ? text.history.you : (decided_by ?? text.someone), left);
}
