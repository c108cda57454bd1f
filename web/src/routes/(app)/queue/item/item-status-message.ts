// Describes an item that the user does not hold, and what is saved, in one sentence.
import { clock } from '#lib/time/clock.svelte.ts';
import { isToday, when } from '#lib/format/when.ts';
import { itemMessages as messages } from '#lib/messages/item-messages.ts';
import type { ItemDetail } from '@countersign/shared/schemas/parts/item';
import type { DecisionAction } from '@countersign/shared/enums';
import { pastTextsOf } from '@countersign/shared/review-actions';
import { endingOf } from './decided/ending.ts';
import type { Stage } from '../session/review-state.ts';
import { reviewMessages } from '#lib/messages/review-messages.ts';

/** What a decision did, as in "Ana decided this: rejected". */
export const decisionPastTense = (action: DecisionAction): string =>
  pastTextsOf(action === 'auto_approve' ? 'approve' : action).decided;

/** When something happened, within a sentence: "at 09:45:12" today, "on 24 Nov, 09:45" before. */
export const momentText = (iso: string): string =>
  messages.moment[isToday(iso, clock.now) ? 'today' : 'earlier'](when(iso, clock.now, { seconds: true }));

interface ItemStatusInput {
  detail: ItemDetail;
  stage: Exclude<Stage, 'mine' | 'loading'>;
  me: string;
  /** A draft is open or saved. */
  draft: boolean;
  /** The user held it before. */
  lost: boolean;
  /** Until its deadline gave it to supervisors. */
  passedOn: boolean;
}

export function itemStatusMessage({ detail, stage, me, draft, lost, passedOn }: ItemStatusInput): string {
  if (stage === 'held') return messages.claimStatus.held(detail.claim?.name ?? messages.someone);
  if (passedOn && stage !== 'decided') return messages.claimStatus.passedOn(draft, stage === 'barred');
  if (stage === 'ended') return draft ? messages.claimStatus.ended : messages.claimStatus.endedQuiet;
  if (stage === 'free' && lost) return reviewMessages.claimStatus.back(draft);
  if (stage === 'free' && draft) return reviewMessages.claimStatus.draft;
  if (stage !== 'decided') return messages.claimStatus[stage];
  const { decision, undo_until, decided_by } = detail;
  const left = undo_until === null ? 0 : Math.ceil((Date.parse(undo_until) - clock.now) / 1000);
  const ending = endingOf(detail);
  if (ending !== null) return messages.conflict.ended[ending].final;
  if (left <= 0 || decision === null) return messages.conflict.final;
  return messages.conflict.undo(
    decision.reviewer_id === me ? messages.history.you : (decided_by ?? messages.someone),
    left,
  );
}
