// Reads what waits as one snapshot: pages of the `all` view, merged, so that every view and count comes from the same rows.
import type { QueuePage, QueueView } from '@countersign/shared/api/queue';
import type { ItemRow } from '@countersign/shared/item';
import type { Snapshot } from './queue-model.ts';

const PAGE_ROWS = 500;
/** Beyond this many full pages the rest of the queue is counted, not listed. */
const MAX_PAGES = 4;

export interface PageQuery {
  project_id?: string;
  view: QueueView;
  after?: string;
  limit: number;
}

/**
 * Reads the queue of one project, or of all with null. `readPage` fetches one page.
 * Rows due later than the last page are left out; the reader's own and escalated items are always in.
 */
export async function readSnapshot(
  readPage: (query: PageQuery) => Promise<QueuePage>,
  projectId: string | null,
): Promise<Snapshot> {
  const filter = { ...(projectId === null ? {} : { project_id: projectId }), limit: PAGE_ROWS };
  const first = await readPage({ ...filter, view: 'all' });
  const pages = [first];
  let cursor = first.next_cursor;
  while (cursor !== null && pages.length < MAX_PAGES) {
    const page = await readPage({ ...filter, view: 'all', after: cursor });
    pages.push(page);
    cursor = page.next_cursor;
  }
  const unbroken = pages.flatMap((page) => page.data);
  if (cursor !== null) {
    pages.push(await readPage({ ...filter, view: 'mine' }), await readPage({ ...filter, view: 'escalated' }));
  }
  return merge(pages, cursor === null ? null : (unbroken.at(-1) ?? null));
}

/**
 * Pages read one after the other show different moments. The merged rows count as read at the earliest of them: facts since
 * then are applied again, and the version of each item says what is news.
 */
function merge(pages: readonly QueuePage[], horizon: ItemRow | null): Snapshot {
  const rows = new Map<string, ItemRow>();
  const seqs: Record<string, number> = {};
  let counts = { available: 0, mine: 0, escalated: 0, all: 0 };
  for (const page of pages) {
    for (const row of page.data) if (row.version > (rows.get(row.id)?.version ?? 0)) rows.set(row.id, row);
    for (const [project, seq] of Object.entries(page.seqs)) seqs[project] = Math.min(seqs[project] ?? seq, seq);
    counts = page.counts;
  }
  return { rows: [...rows.values()], seqs, counts, complete: horizon === null, horizon };
}
