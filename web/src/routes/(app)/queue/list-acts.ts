// What the keys do in the list: moving, looking, opening, choosing several, and what the list shows.
import { QUEUE_VIEWS, type QueueView } from '@countersign/shared/api/queue';
import type { Acts, Ui } from './acts.ts';
import { stepLine } from './desk-model.ts';
import { projectOf, type Work } from './work.ts';

type OfList = 'down' | 'up' | 'open' | 'peek' | 'select' | 'selectTo' | 'show' | 'view' | 'filter';

export function listOf(work: Work, ui: Ui, open: (id: string) => Promise<void>): Acts<OfList> {
  const { queue, desk, selection } = work;
  const some = () => queue.entries.length > 0;
  const onCursor = (run: (id: string) => unknown) => () => ui.cursor !== null && run(ui.cursor);
  const order = () => queue.entries.map(({ id }) => id);
  const selects = () => ui.cursor !== null && maySelect(work, ui.cursor);
  return {
    down: { can: some, run: () => (ui.cursor = stepLine(queue.entries, ui.cursor, 1)) },
    up: { can: some, run: () => (ui.cursor = stepLine(queue.entries, ui.cursor, -1)) },
    open: {
      can: () => ui.cursor !== null && !(ui.cursor === desk.item.id && ui.stage === 'mine'),
      run: onCursor(open),
    },
    peek: { can: () => ui.cursor !== null, run: onCursor((id) => desk.look(id)) },
    select: { can: selects, run: onCursor((id) => selection.toggle(id)) },
    selectTo: { can: selects, run: onCursor((id) => selection.extend(order(), id)) },
    show: { can: () => queue.state.held.size > 0, run: () => queue.dispatch({ kind: 'show' }) },
    view: {
      can: () => true,
      run: () => ui.turnTo(viewAfter(queue.state.scope.view)),
    },
    filter: {
      can: () => document.getElementById(FILTER) !== null,
      run: () => document.getElementById(FILTER)?.focus(),
    },
  };
}

const viewAfter = (view: QueueView): QueueView =>
  QUEUE_VIEWS[(QUEUE_VIEWS.indexOf(view) + 1) % QUEUE_VIEWS.length] ?? 'available';

/** The field that `/` goes to. */
const FILTER = 'queue-filter';

/** Whether the reader may take several items of this line's project together. Why not this very one the selection says. */
function maySelect({ queue, selection }: Work, id: string): boolean {
  const project = projectOf(queue.state.rows.get(id)?.project_id);
  return !selection.busy && (selection.ids.has(id) || project?.abilities.claim_several === true);
}
