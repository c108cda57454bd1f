// Which verbs the bar shows in which state: one table per state, the filled one first.
import type { Command } from '#lib/keyboard.ts';
import { queueText } from '#lib/queue-text.ts';
import type { StatusLook } from '#lib/status.ts';
import type { ItemDetail } from '@countersign/shared/item';
import ArrowRight from '@lucide/svelte/icons/arrow-right';
import ArrowUpRight from '@lucide/svelte/icons/arrow-up-right';
import Check from '@lucide/svelte/icons/check';
import Copy from '@lucide/svelte/icons/copy';
import CornerUpLeft from '@lucide/svelte/icons/corner-up-left';
import FolderOpen from '@lucide/svelte/icons/folder-open';
import Hand from '@lucide/svelte/icons/hand';
import HandGrab from '@lucide/svelte/icons/hand-grab';
import Pencil from '@lucide/svelte/icons/pencil';
import RotateCcw from '@lucide/svelte/icons/rotate-ccw';
import SkipForward from '@lucide/svelte/icons/skip-forward';
import Undo from '@lucide/svelte/icons/undo-2';
import Users from '@lucide/svelte/icons/users';
import X from '@lucide/svelte/icons/x';
import { VERBS, type Stage } from './desk-model.ts';

const { verbs } = queueText;

export interface VerbButton {
  command: Command;
  word: string;
  icon: StatusLook['icon'];
  /** Takes two columns. */
  wide?: boolean;
}

const BUTTON = {
  approve: { command: 'approve', word: verbs.approve, icon: Check },
  edit: { command: 'edit', word: verbs.edit, icon: Pencil },
  reject: { command: 'reject', word: verbs.reject, icon: X },
  escalate: { command: 'escalate', word: verbs.escalate, icon: ArrowUpRight },
  finalize: { command: 'finalize', word: verbs.finalize, icon: Users },
  return: { command: 'return', word: verbs.return, icon: CornerUpLeft },
  skip: { command: 'skip', word: verbs.skip, icon: SkipForward },
  submit: { command: 'submit', word: verbs.submit, icon: Check, wide: true },
  reset: { command: 'reset', word: verbs.reset, icon: RotateCcw },
  back: { command: 'leave', word: verbs.back, icon: Undo },
  claim: { command: 'extend', word: verbs.claim, icon: Hand, wide: true },
  claimAgain: { command: 'extend', word: verbs.claimAgain, icon: Hand, wide: true },
  takeOver: { command: 'takeOver', word: verbs.takeOver, icon: HandGrab, wide: true },
  next: { command: 'next', word: verbs.next, icon: ArrowRight, wide: true },
  accept: { command: 'accept', word: verbs.leave, icon: ArrowRight, wide: true },
  goOn: { command: 'accept', word: verbs.nextItem, icon: ArrowRight, wide: true },
  copy: { command: 'copy', word: verbs.copyDraft, icon: Copy },
  reopen: { command: 'reopen', word: verbs.reopen, icon: FolderOpen },
  undo: { command: 'undo', word: verbs.undo, icon: Undo },
} satisfies Record<string, VerbButton>;

interface Situation {
  detail: ItemDetail;
  stage: Stage;
  editing: boolean;
  /** Something typed for this item is kept. */
  draft: boolean;
  /** The reader decided this. */
  own: boolean;
  /** They may take items out of other people's hands. */
  takesOver: boolean;
  /** And can still take it back. */
  undo: boolean;
}

const STAGES: Record<Stage, (situation: Situation) => VerbButton[]> = {
  mine: ({ detail, editing }) => {
    if (editing) return [BUTTON.submit, BUTTON.reset, BUTTON.back];
    const verbsHere = detail.status === 'escalated' ? VERBS.escalated : VERBS.queued;
    return verbsHere.map((command) => BUTTON[command]);
  },
  loading: ({ detail }) => (detail.status === 'escalated' ? VERBS.escalated : VERBS.queued).map((verb) => BUTTON[verb]),
  ended: ({ draft }) => [BUTTON.claimAgain, BUTTON.next, ...(draft ? [BUTTON.copy] : [])],
  free: () => [BUTTON.claim, BUTTON.next],
  held: ({ draft, takesOver }) => [
    BUTTON.next,
    ...(takesOver ? [BUTTON.takeOver] : []),
    ...(draft ? [BUTTON.copy] : []),
  ],
  barred: ({ draft }) => [BUTTON.next, ...(draft ? [BUTTON.copy] : [])],
  decided: ({ detail, draft, undo, own }) => [
    own ? BUTTON.goOn : BUTTON.accept,
    ...(undo ? [BUTTON.undo] : []),
    ...(detail.abilities.reopen ? [BUTTON.reopen] : []),
    ...(draft ? [BUTTON.copy] : []),
  ],
};

/** The buttons of the bar, in order. */
export const buttonsOf = (situation: Situation): VerbButton[] => STAGES[situation.stage](situation);
