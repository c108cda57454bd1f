// Handlers of the queue page's commands and when each is available, for keys, buttons, sheet and palette.
import { KEYMAP } from '#lib/keys/keymap.ts';
import type { Command } from '#lib/keys/command.ts';
import { live } from '#lib/live/connection.svelte.ts';
import { QUEUE_VIEWS, type QueueView } from '@countersign/shared/enums';
import { isFree } from '#lib/live/queue/queue-model.ts';
import type { CommandHandler, CommandHandlers, ListCommand, Ui } from './command-handler.ts';
import type { ItemCommands } from './item-commands.ts';
import { nextRow, stepRow } from '../list/row-steps.ts';
import { projectOf, type QueueContext } from '../queue-context.ts';

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

/** `itemCommands`: the commands of an open item; null as long as they have not loaded, and no item can be open. */
export function commandsOf(context: QueueContext, ui: Ui, itemCommands: () => ItemCommands | null): Commands {
  const { reviewSession } = context;
  const open = openCommandOf(context, ui);
  const counts = (command: Command) => !GUARDED_COMMANDS.has(command) || context.ready();
  const listHandlers: CommandHandlers<ListCommand> = {
    ...listCommandsOf(context, ui, open),
    next: { can: () => reviewSession.allows('next'), run: () => reviewSession.next() },
    pause: { can: () => true, run: () => (live.paused = !live.paused) },
    leave: { can: () => leaves(context), run: () => leave(context) },
  };
  const handlers = new Map<string, CommandHandler>(Object.entries(listHandlers));
  const handlerOf = (command: Command) => handlers.get(command) ?? itemCommands()?.handlers.get(command);
  return {
    can: (command) => handlerOf(command)?.can() === true,
    run: (command, event) => {
      const handler = handlerOf(command);
      if (handler?.can() !== true || !counts(command) || (event !== null && movesElsewhere(event) && !ui.inList))
        return false;
      if (command === 'accept' && isOnOtherRow(event, reviewSession.item.id)) return false;
      handler.run(event);
      return true;
    },
    open,
    choose: (index) => counts('reason') && itemCommands()?.choose(index),
    write: (reason) => counts('reason') && itemCommands()?.write(reason),
    undoCurrent: () => context.ready() && void reviewSession.undoShown(),
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
function isOnOtherRow(event: KeyboardEvent | null, shown: string | null): boolean {
  const row = event?.target instanceof Element ? event.target.closest('[data-line]') : null;
  return row !== null && row.getAttribute('data-line') !== shown;
}

/** Moving, peeking, opening and selecting rows, and filtering. */
function listCommandsOf(
  context: QueueContext,
  ui: Ui,
  open: (id: string) => Promise<void>,
): CommandHandlers<Exclude<ListCommand, 'next' | 'pause' | 'leave'>> {
  const { queue, reviewSession, selection } = context;
  const some = () => queue.entries.length > 0;
  const onCursor = (run: (id: string) => unknown) => () => ui.cursor !== null && run(ui.cursor);
  const order = () => queue.entries.map(({ id }) => id);
  const selects = () => ui.cursor !== null && maySelect(context, ui.cursor);
  return {
    down: { can: some, run: () => (ui.cursor = stepRow(queue.entries, ui.cursor, 1)) },
    up: { can: some, run: () => (ui.cursor = stepRow(queue.entries, ui.cursor, -1)) },
    open: {
      can: () => ui.cursor !== null && !(ui.cursor === reviewSession.item.id && ui.stage === 'mine'),
      run: onCursor(open),
    },
    peek: { can: () => ui.cursor !== null, run: onCursor((id) => reviewSession.peek(id)) },
    select: { can: selects, run: onCursor((id) => selection.toggle(id)) },
    selectTo: { can: selects, run: onCursor((id) => selection.extend(order(), id)) },
    show: { can: () => queue.state.heldBack.size > 0, run: () => queue.dispatch({ kind: 'show_held_back' }) },
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
      () => (ui.cursor = nextRow(queue.entries, id, (each) => isFree(queue.state, each))?.id ?? id),
    );
  };
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
