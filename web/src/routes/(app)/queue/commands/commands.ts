// Handlers of the queue page's commands and when each is available, for keys, buttons, sheet and palette.
import { clock } from '#lib/time/clock.svelte.ts';
import { keysMessages } from '#lib/keys/keys-messages.ts';
import { KEYMAP } from '#lib/keys/keymap.ts';
import { digitOf } from '#lib/keys/press.ts';
import type { Command } from '#lib/keys/command.ts';
import { live } from '#lib/live/connection.svelte.ts';
import { QUEUE_VIEWS, type QueueView } from '@countersign/shared/enums';
import { isFree } from '#lib/live/queue/queue-model.ts';
import { queueMessages as text } from '#lib/messages/queue-messages.ts';
import type { CommandHandler, CommandHandlers, QueueCommand, Ui } from './command-handler.ts';
import { nextLine, stepLine } from '../session/next-item.svelte.ts';
import type { ReasonedAction, SessionCommand } from '../session/review-state.ts';
import { reviewMessages } from '#lib/messages/review-messages.ts';
import { jumpBetween } from '../item/jump.ts';
import { reasonsFor } from '../item/reasons/reasons.ts';
import { DOUBLE_PRESS_MS } from './double-press.ts';
import { editable } from '../editor/edit-model.ts';
import { projectOf, type QueueContext } from '../queue-context.ts';
import { ACTIONS, actionsFrom, byAction, isReasoned, type ReviewAction } from '@countersign/shared/review-actions';

export interface Commands {
  can: (command: Command) => boolean;
  /** Runs the command; returns false when it was not available. */
  run: (command: Command, event: KeyboardEvent | null) => boolean;
  /** Opens an item: claims it if it is free, otherwise only shows it. */
  open: (id: string) => Promise<void>;
  /** A reason was selected; `index` counts from 0. */
  choose: (index: number) => void;
  /** A custom reason was entered. */
  write: (reason: string) => void;
  /** Undoes the decision of the open item. */
  undoCurrent: () => void;
}

export function commandsOf(context: QueueContext, ui: Ui): Commands {
  const reasons = reasonCommandsOf(context);
  const open = openCommandOf(context, ui);
  const counts = (command: Command) => !GUARDED_COMMANDS.has(command) || context.ready();
  const handlers: CommandHandlers<QueueCommand> = {
    ...itemCommandsOf(context, ui),
    ...viewCommandsOf(context, ui),
    ...listCommandsOf(context, ui, open),
    ...editCommandsOf(context, ui),
    reason: { can: () => ui.stage === 'mine', run: (event) => event && reasons.pressed(digitOf(event) - 1) },
    pause: { can: () => true, run: () => (live.paused = !live.paused) },
    leave: { can: () => leaves(context), run: () => leave(context) },
  };
  const handlerOf = (command: Command): CommandHandler | undefined =>
    new Map<string, CommandHandler>(Object.entries(handlers)).get(command);
  return {
    can: (command) => handlerOf(command)?.can() === true,
    run: (command, event) => {
      const handler = handlerOf(command);
      if (handler?.can() !== true || !counts(command) || (event !== null && movesElsewhere(event) && !ui.inList))
        return false;
      if (command === 'accept' && onOtherLine(event, context.reviewSession.item.id)) return false;
      handler.run(event);
      return true;
    },
    open,
    choose: (index) => counts('reason') && reasons.choose(index),
    write: (reason) => counts('reason') && reasons.write(reason),
    undoCurrent: () => context.ready() && void context.reviewSession.undoShown(),
  };
}

/**
 * Commands that change an item. The guard belongs to the action, so that it covers keys, mouse, touch and any other input (QU2).
 */
const GUARDED_COMMANDS: ReadonlySet<Command> = new Set(
  KEYMAP.flatMap(({ command, action }) => (action === true ? [command] : [])),
);

/** Outside the list the arrow keys and Space scroll, as usual. */
const movesElsewhere = ({ key }: KeyboardEvent): boolean => key.startsWith('Arrow') || key === ' ';

/** Whether a key was pressed on a row other than the open item's; it then applies to that row. */
function onOtherLine(event: KeyboardEvent | null, shown: string | null): boolean {
  const line = event?.target instanceof Element ? event.target.closest('[data-line]') : null;
  return line !== null && line.getAttribute('data-line') !== shown;
}

type ItemCommand = ReviewAction | 'skip' | 'giveBack' | 'extend' | 'takeOver' | 'reopen' | 'next' | 'accept' | 'undo';

/** A key of an action decides at once, opens the editor or asks for the reason, as the table of actions says. */
function actionCommandsOf({ reviewSession }: QueueContext, ui: Ui): CommandHandlers<ReviewAction> {
  const status = () => (reviewSession.item.detail?.status === 'escalated' ? 'escalated' : 'queued');
  const ask = (action: ReasonedAction) => () => {
    const { picked, action: asked } = reviewSession.reasonPrompt;
    if (picked !== null) return reviewSession.decide(action, { reason: picked });
    // Pressing the same action again cancels its reason prompt.
    return asked === action ? reviewSession.reasonPrompt.clear() : reviewSession.reasonPrompt.start(action);
  };
  const runOf = (action: ReviewAction) => {
    if (isReasoned(action)) return ask(action);
    return ACTIONS[action].requires === 'output' ? () => reviewSession.startEdit() : () => reviewSession.decide(action);
  };
  return byAction((action) => ({
    can: () => ui.stage === 'mine' && reviewSession.allows(action) && actionsFrom(status()).includes(action),
    run: runOf(action),
  }));
}

function itemCommandsOf(context: QueueContext, ui: Ui): CommandHandlers<ItemCommand> {
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
    next: { can: () => reviewSession.allows('next'), run: () => reviewSession.next() },
    accept: {
      can: () => reviewSession.allows('accept') && ui.stage === 'decided',
      run: () => reviewSession.continueToNext(),
    },
    undo: undoCommandOf(context),
  };
}

function undoCommandOf({ reviewSession, recentDecisions }: QueueContext): CommandHandler {
  const undoable = () => recentDecisions.newest(clock.read());
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
      can: () => reviewSession.item.id !== null && drafts.read(reviewSession.item.id) !== null,
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

type ListCommand = 'down' | 'up' | 'open' | 'peek' | 'select' | 'selectTo' | 'show' | 'view' | 'filter';

/** Moving, peeking, opening and selecting rows, and filtering. */
function listCommandsOf(
  context: QueueContext,
  ui: Ui,
  open: (id: string) => Promise<void>,
): CommandHandlers<ListCommand> {
  const { queue, reviewSession, selection } = context;
  const some = () => queue.entries.length > 0;
  const onCursor = (run: (id: string) => unknown) => () => ui.cursor !== null && run(ui.cursor);
  const order = () => queue.entries.map(({ id }) => id);
  const selects = () => ui.cursor !== null && maySelect(context, ui.cursor);
  return {
    down: { can: some, run: () => (ui.cursor = stepLine(queue.entries, ui.cursor, 1)) },
    up: { can: some, run: () => (ui.cursor = stepLine(queue.entries, ui.cursor, -1)) },
    open: {
      can: () => ui.cursor !== null && !(ui.cursor === reviewSession.item.id && ui.stage === 'mine'),
      run: onCursor(open),
    },
    peek: { can: () => ui.cursor !== null, run: onCursor((id) => reviewSession.peek(id)) },
    select: { can: selects, run: onCursor((id) => selection.toggle(id)) },
    selectTo: { can: selects, run: onCursor((id) => selection.extend(order(), id)) },
    show: { can: () => queue.state.heldBack.size > 0, run: () => queue.dispatch({ kind: 'show' }) },
    view: {
      can: () => true,
      run: () => ui.switchTo(viewAfter(queue.state.scope.view)),
    },
    filter: {
      can: () => document.getElementById(FILTER) !== null,
      run: () => document.getElementById(FILTER)?.focus(),
    },
  };
}

const viewAfter = (view: QueueView): QueueView =>
  QUEUE_VIEWS[(QUEUE_VIEWS.indexOf(view) + 1) % QUEUE_VIEWS.length] ?? 'available';

/** The field that `/` focuses. */
const FILTER = 'queue-filter';

/** Whether the user may claim several items of this row's project at once. The selection says why it refuses this very row. */
function maySelect({ queue, selection }: QueueContext, id: string): boolean {
  const project = projectOf(queue.state.rows.get(id)?.project_id);
  return !selection.busy && (selection.ids.has(id) || project?.abilities.bulk_claim === true);
}

function openCommandOf({ queue, reviewSession, me }: QueueContext, ui: Ui): (id: string) => Promise<void> {
  return async (id) => {
    const row = queue.state.rows.get(id);
    if (row === undefined) return;
    const mine = row.claim?.user_id === me.id;
    if (!mine && !isFree(queue.state, row)) return reviewSession.peek(id);
    // Someone else claimed it first: continue with the next row that is free.
    await reviewSession.claim(
      id,
      () => (ui.cursor = nextLine(queue.entries, id, (each) => isFree(queue.state, each))?.id ?? id),
    );
  };
}

type ReasonCommands = Pick<Commands, 'choose' | 'write'> & {
  /** The digit of a reason was pressed. */
  pressed: (index: number) => void;
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
  const draft = reviewSession.item.id === null ? null : drafts.read(reviewSession.item.id);
  if (draft === null) return;
  await navigator.clipboard.writeText(draft.text).then(
    () => announcer.say(text.announcement.copied),
    () => announcer.say(text.announcement.notCopied),
  );
}

async function copyValue({ reviewSession, announcer }: QueueContext): Promise<void> {
  const suggestion = reviewSession.item.detail?.suggestion;
  if (suggestion === undefined) return;
  await navigator.clipboard.writeText(reviewSession.edit?.text ?? editable(suggestion)).then(
    () => announcer.say(keysMessages.announcement.valueCopied),
    () => announcer.say(text.announcement.notCopied),
  );
}

/** Sends the note once its action is known. */
function send({ reviewSession }: QueueContext): void {
  const { reasonPrompt } = reviewSession;
  if (reasonPrompt.action !== null && reasonPrompt.picked !== null)
    void reviewSession.decide(reasonPrompt.action, { reason: reasonPrompt.picked });
  else reasonPrompt.fault = reasonPrompt.action === null ? reviewMessages.note.noAction : reviewMessages.note.noReason;
}

/** Whether Escape has something to close. */
const leaves = ({ reviewSession, selection }: QueueContext): boolean =>
  reviewSession.reasonPrompt.open ||
  reviewSession.reasonPrompt.picked !== null ||
  reviewSession.edit !== null ||
  selection.on ||
  reviewSession.item.id !== null;

/** Escape: closes the innermost open part. */
function leave({ reviewSession, selection }: QueueContext): void {
  if (reviewSession.reasonPrompt.open || reviewSession.reasonPrompt.picked !== null) reviewSession.reasonPrompt.clear();
  else if (reviewSession.edit?.needsReason) reviewSession.edit.needsReason = false;
  else if (reviewSession.edit !== null) reviewSession.stopEdit();
  else if (selection.on) selection.leave();
  else reviewSession.close();
}
