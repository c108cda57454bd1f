// Commands of the list: moving, peeking, opening, selecting rows, and filtering.
import { QUEUE_VIEWS, type QueueView } from '@countersign/shared/enums';
import type { CommandHandlers, Ui } from './command-handler.ts';
import { stepLine } from '../session/next-item.svelte.ts';
import { projectOf, type QueueContext } from '../queue-context.ts';

type ListCommand = 'down' | 'up' | 'open' | 'peek' | 'select' | 'selectTo' | 'show' | 'view' | 'filter';

export function listCommandsOf(
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
