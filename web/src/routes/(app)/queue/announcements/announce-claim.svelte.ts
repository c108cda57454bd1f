// Announces how the claim on the open item ends: soon, to the deadline, to somebody else, or because it was decided.
import { untrack } from 'svelte';
import { liveKeyOf } from '#lib/keys/key-settings.svelte.ts';
import { queueMessages } from '#lib/messages/queue-messages.ts';
import { unsentDraftsOf } from '../drafts/unsent-drafts.ts';
import { endingOf } from '../item/decided/ending.ts';
import type { QueueContext } from '../queue-context.ts';
import type { Stage } from '../session/review-state.ts';
import { announcementMessages as messages } from './announcement-messages.ts';

type Page = Pick<QueueContext, 'announcer' | 'drafts' | 'preferences' | 'reviewSession'>;

/** Follows the open item. Runs within an effect, and ends with it. */
export function announceClaim(page: Page, stageNow: () => Stage | null): void {
  const { reviewSession, announcer } = page;
  let before: { id: string | null; stage: Stage | null; ends: boolean } = { id: null, stage: null, ends: false };
  $effect(() => {
    const stage = stageNow();
    const now = { id: reviewSession.item.id, stage, ends: stage === 'mine' && reviewSession.item.leaseEnds };
    const same = now.id === before.id;
    if (now.ends && !(same && before.ends)) {
      announcer.say(
        untrack(() => messages.leaseEnds(liveKeyOf('extend'))),
        'assertive',
      );
    }
    if (same && before.stage === 'mine') sayLost(page, now.stage);
    if (same && reviewSession.item.lost && now.stage === 'decided' && before.stage !== 'decided')
      untrack(() => sayClosed(page));
    before = now;
  });
}

/** The item that the user held was decided, or ended without a decision. */
function sayClosed({ reviewSession, announcer, drafts, preferences }: Page): void {
  const { detail } = reviewSession.item;
  const ending = detail === null ? null : endingOf(detail);
  if (detail === null || ending === null)
    return announcer.say(messages.decidedFirst(detail?.decided_by ?? queueMessages.someone), 'assertive');
  const typed = unsentDraftsOf(drafts, detail.id).length > 0;
  announcer.say(messages[ending](typed), 'assertive');
  // Nobody answers it: the next one follows, unless something was typed here that its user may still need.
  if (preferences.flow && !typed) void reviewSession.next();
}

/** The user has lost the claim: to the deadline, to time, or to somebody else. */
function sayLost(page: Page, stage: Stage | null): void {
  const { reviewSession, announcer, drafts } = page;
  const { id, passedOn } = reviewSession.item;
  if (stage === 'mine' || stage === 'decided') return;
  if (passedOn && id !== null) announcer.say(messages.passedOn(unsentDraftsOf(drafts, id).length > 0), 'assertive');
  else if (stage === 'ended') announcer.say(messages.leaseEnded, 'assertive');
  else if (stage === 'held') untrack(() => sayTakenOver(page));
}

function sayTakenOver({ reviewSession, drafts, announcer }: Page): void {
  const { detail } = reviewSession.item;
  announcer.say(messages.takenOver(detail?.claim?.name ?? queueMessages.someone), 'assertive');
  reviewSession.edit?.save();
  if (detail !== null && drafts.read(detail.id) !== null) announcer.say(messages.draftSaved, 'assertive');
}
