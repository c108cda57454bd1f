// The buttons of the action bar by state: one table per state, the filled one first.
import type { Command } from '#lib/keys/command.ts';
import { answerMessages } from '#lib/messages/answer-messages.ts';
import { itemMessages } from '#lib/messages/item-messages.ts';
import type { StatusStyle } from '#lib/status.ts';
import type { ItemDetail } from '@countersign/shared/schemas/parts/item';
import { ACTIONS, actionsFrom, byAction, type ReviewAction } from '@countersign/shared/review-actions';
import ArrowRight from '@lucide/svelte/icons/arrow-right';
import ArrowUpRight from '@lucide/svelte/icons/arrow-up-right';
import Check from '@lucide/svelte/icons/check';
import Copy from '@lucide/svelte/icons/copy';
import CornerUpLeft from '@lucide/svelte/icons/corner-up-left';
import FolderOpen from '@lucide/svelte/icons/folder-open';
import Hand from '@lucide/svelte/icons/hand';
import HandGrab from '@lucide/svelte/icons/hand-grab';
import MessageSquare from '@lucide/svelte/icons/message-square';
import Pencil from '@lucide/svelte/icons/pencil';
import RotateCcw from '@lucide/svelte/icons/rotate-ccw';
import Save from '@lucide/svelte/icons/save';
import SkipForward from '@lucide/svelte/icons/skip-forward';
import Undo from '@lucide/svelte/icons/undo-2';
import Users from '@lucide/svelte/icons/users';
import X from '@lucide/svelte/icons/x';
import type { Stage } from '../session/review-state.ts';
import { approvalBlock } from './answer/approval-block.ts';

const { actions } = itemMessages;

export interface ActionButton {
  command: Command;
  label: string;
  icon: StatusStyle['icon'];
  /** Spans two columns. */
  wide?: boolean;
  /** Why it would have no effect; its key says so too. */
  block?: string;
  /** Its part of the bar in place of one column, where each button has a width of its own. */
  share?: number;
}

export const ACTION_ICONS: Readonly<Record<ReviewAction, StatusStyle['icon']>> = {
  approve: Check,
  edit: Pencil,
  reject: X,
  respond: MessageSquare,
  escalate: ArrowUpRight,
  finalize: Users,
  return: CornerUpLeft,
};

const BUTTON = {
  ...byAction((action): ActionButton => ({
    command: action,
    label: ACTIONS[action].label,
    icon: ACTION_ICONS[action],
  })),
  write: { command: 'edit', label: answerMessages.write, icon: ACTION_ICONS.edit },
  sendAnswer: { command: 'submit', label: answerMessages.send, icon: Check, wide: true, share: 1.6 },
  skip: { command: 'skip', label: actions.skip, icon: SkipForward },
  submit: { command: 'submit', label: actions.submit, icon: Check, wide: true, share: 1.6 },
  keepDraft: { command: 'keepDraft', label: actions.keepDraft, icon: Save, share: 1.4 },
  reset: { command: 'reset', label: actions.reset, icon: RotateCcw },
  back: { command: 'leave', label: actions.back, icon: Undo },
  claim: { command: 'extend', label: actions.claim, icon: Hand, wide: true },
  claimAgain: { command: 'extend', label: actions.claimAgain, icon: Hand, wide: true },
  takeOver: { command: 'takeOver', label: actions.takeOver, icon: HandGrab, wide: true },
  next: { command: 'next', label: actions.next, icon: ArrowRight, wide: true },
  accept: { command: 'accept', label: actions.leave, icon: ArrowRight, wide: true },
  continueToNext: { command: 'accept', label: actions.nextItem, icon: ArrowRight, wide: true },
  copy: { command: 'copy', label: actions.copyDraft, icon: Copy },
  reopen: { command: 'reopen', label: actions.reopen, icon: FolderOpen },
  undo: { command: 'undo', label: actions.undo, icon: Undo },
} satisfies Record<string, ActionButton>;

interface Situation {
  detail: ItemDetail;
  stage: Stage;
  editing: boolean;
  /** The user has unsent words for this item: an answer, a reason or a note. */
  draft: boolean;
  /** The user made this decision. */
  own: boolean;
  /** The user may take over items that others hold. */
  takesOver: boolean;
  /** And can still undo it. */
  undo: boolean;
}

/** The edit in the words of the item: there may be nothing to edit. */
const editButton = ({ has_suggestion: has }: ItemDetail): ActionButton => (has ? BUTTON.edit : BUTTON.write);

const submitButton = ({ has_suggestion: has }: ItemDetail): ActionButton => (has ? BUTTON.submit : BUTTON.sendAnswer);

/** Without a suggestion nothing can be approved, and with an invalid one approving is shown with the reason why not. */
function barButtons(detail: ItemDetail): ActionButton[] {
  const { status, allowed_actions: allowed, has_suggestion: has } = detail;
  const block = approvalBlock(detail);
  const actions = actionsFrom(status === 'escalated' ? status : 'queued', allowed);
  const buttons = actions
    .filter((action) => has || action !== 'approve')
    .map((action): ActionButton => {
      if (action === 'edit') return editButton(detail);
      return action === 'approve' && block !== null ? { ...BUTTON.approve, block } : BUTTON[action];
    });
  return [...buttons, BUTTON.skip];
}

const STAGES: Record<Stage, (situation: Situation) => ActionButton[]> = {
  mine: ({ detail, editing }) => {
    if (editing) return [submitButton(detail), BUTTON.keepDraft, BUTTON.reset, BUTTON.back];
    return barButtons(detail);
  },
  loading: ({ detail }) => barButtons(detail),
  ended: ({ draft }) => [BUTTON.claimAgain, BUTTON.next, ...(draft ? [BUTTON.copy] : [])],
  free: () => [BUTTON.claim, BUTTON.next],
  held: ({ draft, takesOver }) => [
    BUTTON.next,
    ...(takesOver ? [BUTTON.takeOver] : []),
    ...(draft ? [BUTTON.copy] : []),
  ],
  barred: ({ draft }) => [BUTTON.next, ...(draft ? [BUTTON.copy] : [])],
  decided: ({ detail, draft, undo, own }) => [
    own ? BUTTON.continueToNext : BUTTON.accept,
    ...(undo ? [BUTTON.undo] : []),
    ...(detail.abilities.reopen ? [BUTTON.reopen] : []),
    ...(draft ? [BUTTON.copy] : []),
  ],
};

/** The buttons of the bar, in order. */
export const buttonsOf = (situation: Situation): ActionButton[] => STAGES[situation.stage](situation);
