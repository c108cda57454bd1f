// Handlers of the commands of the open item and when each is available. They load with the first item.
import { announcementMessages } from '../announcements/announcement-messages.ts';
import { clock } from '#lib/time/clock.svelte.ts';
import { keysMessages } from '#lib/keys/keys-messages.ts';
import { digitOf } from '#lib/keys/press.ts';
import { itemMessages as text } from '#lib/messages/item-messages.ts';
import { reviewMessages } from '#lib/messages/review-messages.ts';
import { ACTIONS, actionsFrom, byAction, isReasoned, type ReviewAction } from '@countersign/shared/review-actions';
import { plainTextOf, unsentDraftsOf } from '../drafts/unsent-drafts.ts';
import { readable } from '../editor/edit-model.ts';
import { approvalBlock } from '../item/answer/approval-block.ts';
import { SUGGESTION_FAULTS } from '../item/answer/suggestion-faults.ts';
import { jumpBetween } from '../item/jump.ts';
import { reasonsFor } from '../item/reasons/reasons.ts';
import { projectOf, type QueueContext } from '../queue-context.ts';
import type { ReasonedAction, SessionCommand } from '../session/review-state.ts';
import type { CommandHandler, CommandHandlers, ItemCommand, Ui } from './command-handler.ts';
import { DOUBLE_PRESS_MS } from './double-press.ts';

export interface ItemCommands {
  readonly handlers: ReadonlyMap<string, CommandHandler>;
  /** A reason was selected; `index` counts from 0. */
  readonly choose: (index: number) => void;
  /** A custom reason was entered. */
  readonly write: (reason: string) => void;
}

export function itemCommandsOf(context: QueueContext, ui: Ui): ItemCommands {
  const { choose, write, pressed } = reasonCommandsOf(context);
  const handlers: CommandHandlers<ItemCommand> = {
    ...claimCommandsOf(context, ui),
    ...viewCommandsOf(context, ui),
    ...editCommandsOf(context, ui),
    reason: { can: () => ui.stage === 'mine', run: (event) => event && pressed(digitOf(event) - 1) },
  };
  return { handlers: new Map(Object.entries(handlers)), choose, write };
}

/** A key of an action decides at once, opens the editor or asks for the reason, as the table of actions says. */
function actionCommandsOf({ reviewSession, announcer }: QueueContext, ui: Ui): CommandHandlers<ReviewAction> {
  const offered = () => {
    const { detail } = reviewSession.item;
    return actionsFrom(detail?.status === 'escalated' ? 'escalated' : 'queued', detail?.allowed_actions);
  };
  const ask = (action: ReasonedAction) => () => {
    const { picked, action: asked } = reviewSession.reasonPrompt;
    if (picked !== null) return reviewSession.decide(action, { reason: picked });
    // Pressing the same action again cancels its reason prompt.
    return asked === action ? reviewSession.reasonPrompt.clear() : reviewSession.reasonPrompt.start(action);
  };
  const respond = () => {
    const { reasonPrompt } = reviewSession;
    return reasonPrompt.response === null ? reasonPrompt.openResponse() : reasonPrompt.clear();
  };
  const approve = () => {
    const { detail } = reviewSession.item;
    const block = detail === null ? null : approvalBlock(detail);
    if (block === null) return reviewSession.decide('approve');
    announcer.say(block, 'assertive');
    document.getElementById(SUGGESTION_FAULTS)?.focus();
  };
  const runOf = (action: ReviewAction) => {
    if (isReasoned(action)) return ask(action);
    const { requires } = ACTIONS[action];
    if (requires === 'output') return () => reviewSession.startEdit();
    if (requires === 'response') return respond;
    return action === 'approve' ? approve : () => reviewSession.decide(action);
  };
  return byAction((action) => ({
    can: () => ui.stage === 'mine' && reviewSession.allows(action) && offered().includes(action),
    run: runOf(action),
  }));
}

type ClaimCommand =
  | ReviewAction
  | 'skip'
  | 'giveBack'
  | 'extend'
  | 'takeOver'
  | 'reopen'
  | 'revise'
  | 'accept'
  | 'undo';

function claimCommandsOf(context: QueueContext, ui: Ui): CommandHandlers<ClaimCommand> {
  const { reviewSession } = context;
  const held = (command: SessionCommand) => () => ui.stage === 'mine' && reviewSession.allows(command);
  return {
    ...actionCommandsOf(context, ui),
    skip: { can: held('skip'), run: () => reviewSession.skip() },
    giveBack: { can: held('giveBack'), run: () => reviewSession.giveBack() },
    extend: {
      can: () => reviewSession.allows('extend') && ui.stage !== null && ['mine', 'ended', 'free'].includes(ui.stage),
      run: () => reviewSession.extend(),
    },
    takeOver: {
      can: () => reviewSession.allows('takeOver') && ui.stage === 'held' && takesOver(context),
      run: () => reviewSession.takeOver(),
    },
    reopen: {
      can: () => reviewSession.allows('reopen') && reviewSession.item.detail?.abilities.reopen === true,
      run: () => reviewSession.reopen(),
    },
    revise: { can: () => context.reading.revise !== null, run: () => context.reading.revise?.() },
    accept: {
      can: () => reviewSession.allows('accept') && ui.stage === 'decided',
      run: () => reviewSession.continueToNext(),
    },
    undo: undoCommandOf(context),
  };
}

function undoCommandOf({ reviewSession, recentDecisions }: QueueContext): CommandHandler {
  // Only a decision that this page is sending can be waited for, not one of an earlier page of the tab.
  const isSending = () => reviewSession.busy !== null && Object.hasOwn(ACTIONS, reviewSession.busy);
  const undoable = () => (isSending() ? recentDecisions.newest(clock.read()) : recentDecisions.undoable(clock.read()));
  let pressedAt = -Infinity;
  return {
    can: () => undoable() !== null,
    run: (event) => {
      // Two quick presses of the key count as one: the second would undo the decision before.
      const repeated = event !== null && event.timeStamp - pressedAt < DOUBLE_PRESS_MS;
      pressedAt = event?.timeStamp ?? pressedAt;
      const recent = repeated ? null : undoable();
      return recent && reviewSession.undo(recent);
    },
  };
}

const takesOver = ({ reviewSession }: QueueContext): boolean =>
  projectOf(reviewSession.item.detail?.project_id)?.abilities.take_over === true;

/** Commands that change how the item is displayed, and nothing in it. */
function viewCommandsOf(
  context: QueueContext,
  ui: Ui,
): CommandHandlers<'note' | 'guidelines' | 'jump' | 'find' | 'diff' | 'raw' | 'copyValue' | 'copy'> {
  const { reviewSession, reading, drafts } = context;
  const shown = () => reviewSession.item.detail !== null;
  return {
    note: {
      can: () => ui.stage === 'mine' && reviewSession.allows('note'),
      run: () => reviewSession.reasonPrompt.openNote(),
    },
    guidelines: { can: shown, run: () => (reading.guidelines = !reading.guidelines) },
    jump: { can: () => shown() && ui.stage !== 'decided', run: () => jumpBetween(reading) },
    find: { can: () => shown() && ui.stage !== 'decided', run: () => (reading.finding = !reading.finding) },
    diff: { can: shown, run: () => (reading.diff = !reading.diff) },
    raw: { can: shown, run: () => (reading.raw = !reading.raw) },
    // A redacted item has nothing to copy (KE2).
    copyValue: { can: () => shown() && !reviewSession.item.detail?.emptied_at, run: () => copyValue(context) },
    copy: {
      can: () => reviewSession.item.id !== null && unsentDraftsOf(drafts, reviewSession.item.id).length > 0,
      run: () => copyDraft(context),
    },
  };
}

function editCommandsOf(context: QueueContext, ui: Ui): CommandHandlers<'submit' | 'keepDraft' | 'reset' | 'send'> {
  const { reviewSession, announcer } = context;
  return {
    submit: { can: () => ui.stage === 'mine' && reviewSession.allows('submit'), run: () => submit(context) },
    keepDraft: {
      can: () => reviewSession.edit !== null,
      run: () => {
        reviewSession.edit?.save();
        announcer.say(keysMessages.announcement.draftKept);
      },
    },
    reset: { can: () => reviewSession.edit !== null, run: () => reviewSession.edit?.reset() },
    send: {
      can: () => ui.stage === 'mine' && reviewSession.edit === null && reviewSession.reasonPrompt.note !== null,
      run: () => send(context),
    },
  };
}

type ReasonCommands = Omit<ItemCommands, 'handlers'> & {
  /** The digit of a reason was pressed. */
  readonly pressed: (index: number) => void;
};

function reasonCommandsOf({ reviewSession, preferences }: QueueContext): ReasonCommands {
  const reasons = () => projectOf(reviewSession.item.detail?.project_id)?.reasons ?? [];
  const offered = () => reasonsFor(reviewSession.reasonPrompt.action, { reasons: reasons(), own: text.reasons.own });
  const give = (reason: string) => {
    const { reasonPrompt, edit } = reviewSession;
    if (edit !== null) {
      const { needsReason } = edit;
      edit.choose(reason);
      if (needsReason) submit({ reviewSession });
    } else if (reasonPrompt.action !== null) void reviewSession.decide(reasonPrompt.action, { reason });
    else reasonPrompt.picked = reasonPrompt.picked === reason ? null : reason;
    reasonPrompt.own = null;
  };
  const choose = (index: number) => {
    const chip = offered()[index];
    if (chip === undefined) return;
    if (chip.open) reviewSession.reasonPrompt.own = reviewSession.edit?.reason ?? '';
    else give(chip.label);
  };
  return {
    choose,
    pressed: (index) => {
      const { reasonPrompt, edit } = reviewSession;
      const alone = reasonPrompt.action === null && reasonPrompt.note === null && edit === null;
      // Where the user wants it, a digit alone rejects with its reason.
      if (alone && preferences.digitRejects && offered()[index] !== undefined) reasonPrompt.start('reject');
      if (!alone || preferences.digitRejects) choose(index);
    },
    write: (reason) => {
      const last = offered().at(-1)?.label ?? '';
      const words = reason.trim() || (last === text.reasons.own ? '' : last);
      if (words === '') return;
      // A reason entered before its action is for a rejection, as the reason bar says.
      if (reviewSession.edit === null && reviewSession.reasonPrompt.action === null)
        reviewSession.reasonPrompt.start('reject');
      give(words);
    },
  };
}

function submit({ reviewSession }: Pick<QueueContext, 'reviewSession'>): void {
  // The editor shows what blocks the submission; a missing reason is asked for in the reason bar.
  const words = reviewSession.edit?.submission() ?? null;
  if (words !== null) void reviewSession.decide('edit', words);
}

async function copyDraft({ reviewSession, drafts, announcer }: QueueContext): Promise<void> {
  const [first] = reviewSession.item.id === null ? [] : unsentDraftsOf(drafts, reviewSession.item.id);
  if (first === undefined) return;
  // An answer alone; words without one may be an answer of their own.
  await navigator.clipboard.writeText(first.draft?.text ?? plainTextOf(first)).then(
    () => announcer.say(announcementMessages.copied),
    () => announcer.say(announcementMessages.notCopied),
  );
}

async function copyValue({ reviewSession, announcer }: QueueContext): Promise<void> {
  const suggestion = reviewSession.item.detail?.suggestion;
  if (suggestion === undefined) return;
  await navigator.clipboard.writeText(reviewSession.edit?.readable ?? readable(suggestion)).then(
    () => announcer.say(keysMessages.announcement.valueCopied),
    () => announcer.say(announcementMessages.notCopied),
  );
}

/** Sends the note once its action is known. */
function send({ reviewSession }: QueueContext): void {
  const { reasonPrompt } = reviewSession;
  if (reasonPrompt.action !== null && reasonPrompt.picked !== null)
    void reviewSession.decide(reasonPrompt.action, { reason: reasonPrompt.picked });
  else reasonPrompt.fault = reasonPrompt.action === null ? reviewMessages.note.noAction : reviewMessages.note.noReason;
}
