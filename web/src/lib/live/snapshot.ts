// Reads what waits as one snapshot of all views, so that every view and count comes from the same rows.
import type { QueuePage, QueueView } from '@countersign/shared/api/queue';
import type { ItemRow } from '@countersign/shared/item';
import type { Snapshot } from './queue-model.ts';

/** The rows of a list at most: when more items wait, those due later are counted, not listed. */
const ROWS = 500;

export interface PageQuery {
  project_id?: string;
  view: QueueView;
  limit: number;
}

/**
 * Reads the queue of one project, or of all with null. `readPage` fetches one page.
 * When more waits than a list holds, what is due later is left out; the reader's own and escalated items are always in.
 */
export async function readSnapshot(
  readPage: (query: PageQuery) => Promise<QueuePage>,
  projectId: string | null,
): Promise<Snapshot> {
  const filter = { ...(projectId === null ? {} : { project_id: projectId }), limit: ROWS };
  const first = await readPage({ ...filter, view: 'all' });
  if (first.next_cursor === null) return merge([first], null);
  const [mine, escalated] = await Promise.all([
    readPage({ ...filter, view: 'mine' }),
    readPage({ ...filter, view: 'escalated' }),
  ]);
  return merge([first, mine, escalated], first.data.at(-1) ?? null);
}

/**
 * Pages read one after the other show different moments. The merged rows count as read at the earliest of them: facts since
 * then are applied again, and the version of each item says what is news.
 */
function merge(pages: readonly [QueuePage, ...QueuePage[]], horizon: ItemRow | null): Snapshot {
  const rows = new Map<string, ItemRow>();
  const seqs: Record<string, number> = {};
  for (const page of pages) {
    for (const row of page.data) if (row.version > (rows.get(row.id)?.version ?? 0)) rows.set(row.id, row);
    for (const [project, seq] of Object.entries(page.seqs)) seqs[project] = Math.min(seqs[project] ?? seq, seq);
  }
  return { rows: [...rows.values()], seqs, counts: pages[0].counts, complete: horizon === null, horizon };
}
