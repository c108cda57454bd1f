// Reads the waiting items as one snapshot of all views, so that every view and count comes from the same rows.
import type { QueuePage } from '@countersign/shared/schemas/queue';
import type { QueueView } from '@countersign/shared/enums';
import type { ItemRow } from '@countersign/shared/schemas/parts/item';
import { isUnfiltered } from '@countersign/shared/filters/queue-filter';
import type { QueueFilter } from '@countersign/shared/schemas/parts/queue-filter';
import type { QueueSort } from '@countersign/shared/filters/queue-order';
import { FULLY_LOADED, type Snapshot } from './queue-model.ts';

/** The largest page, and the largest list: when more items wait, the later ones are counted, not listed. */
export const PAGE_ROWS = 500;
export const MAX_ROWS_LOADED = 3 * PAGE_ROWS;
/** The first rows of a longer list are shown before the others are read (QU31). */
const FIRST_ROWS = 60;
/** With fewer rows than this the list reads on automatically: the rows read belong to other views, or few match. */
const MIN_MATCHING_ROWS = 100;
/** A filtered page may be short; at most this many are read at once. */
const MAX_PAGES = 8;

export interface PageQuery extends QueueFilter {
  project_id?: string;
  view: QueueView;
  sort?: QueueSort;
  after?: string;
  limit: number;
}

type ReadPage = (query: PageQuery) => Promise<QueuePage>;

export interface SnapshotRequest {
  view: QueueView;
  /** Null: all projects of the user. */
  projectId: string | null;
  filter: QueueFilter;
  sort: QueueSort;
  /** Whether everything that waited fitted in the previous snapshot: then that is tried again, and filtered here. */
  complete: boolean;
  /** At least this many rows of the list, when there are more than one page holds. */
  rows: number;
  /** Whether a row is in the present list. */
  isInView: (row: ItemRow) => boolean;
  /** Whether the user holds it. */
  isMine: (row: ItemRow) => boolean;
}

/**
 * Reads the queue. When all of it fits in one page nothing is omitted, for any filter. Otherwise rows that do not match the
 * filter are omitted, and those that are later in the order; the user's own items are always included, regardless of the filter, and the matching
 * escalated ones, up to one page of each; where the list shows escalated items, as many of them as requested. `readPage` reads
 * one page. `offer` gets the first rows of a longer list as soon as they are read; without it they are not read on their own.
 */
export async function readSnapshot(
  readPage: ReadPage,
  wanted: SnapshotRequest,
  offer: ((snapshot: Snapshot) => void) | null = null,
): Promise<Snapshot> {
  const { view, filter, sort, complete } = wanted;
  const base = baseOf(wanted);
  const query = { ...base, ...filter, view: 'all' as const };
  const unfiltered = isUnfiltered(filter);
  const start = offer === null ? null : await readPage({ ...query, limit: FIRST_ROWS });
  if (start !== null && unfiltered && start.next_cursor === null) return wholeOf(start, sort);
  if (start !== null && offer !== null) await offerFirst(start, wanted, { readPage, offer });
  const readQuery = () => (start === null ? readPage(query) : continuePage(start, query, readPage));
  const fullPage = unfiltered ? await readQuery() : complete ? await readPage({ ...base, view: 'all' }) : null;
  if (fullPage?.next_cursor === null) return wholeOf(fullPage, sort);
  const first = fullPage !== null && unfiltered ? fullPage : await readQuery();
  const listsEscalated = view === 'escalated';
  const pages = listsEscalated ? [] : await readMorePages(first, wanted, (after) => readPage({ ...query, after }));
  const [mine, escalated] = await Promise.all([
    readPage({ ...base, view: 'mine' }),
    readPage({ ...query, view: 'escalated' }),
  ]);
  const readEscalated = (after: string) => readPage({ ...query, view: 'escalated', after });
  const others = listsEscalated ? await readMorePages(escalated, wanted, readEscalated) : [];
  return {
    ...merge([first, ...pages, mine, escalated, ...others]),
    complete: false,
    filter,
    sort,
    horizon: (pages.at(-1) ?? first).until,
    escalatedHorizon: (others.at(-1) ?? escalated).until,
    restPending: false,
  };
}

const baseOf = ({ projectId, sort }: SnapshotRequest) => ({
  ...(projectId === null ? {} : { project_id: projectId }),
  ...(sort === 'due' ? {} : { sort }),
  limit: PAGE_ROWS,
});

const wholeOf = (page: QueuePage, sort: QueueSort): Snapshot => ({
  ...merge([page]),
  ...FULLY_LOADED,
  filter: {},
  sort,
});

/** Offers the first rows, with the user's own, unless the list could seem empty although it is not. */
async function offerFirst(
  start: QueuePage,
  wanted: SnapshotRequest,
  { readPage, offer }: { readPage: ReadPage; offer: (snapshot: Snapshot) => void },
): Promise<void> {
  const { view, filter, sort, isInView, isMine } = wanted;
  if (view !== 'mine' && start.until !== null && !start.data.some(isInView)) return;
  const hasMine = start.counts.mine <= start.data.filter(isMine).length;
  const mine = hasMine ? [] : [await readPage({ ...baseOf(wanted), view: 'mine' })];
  const { until } = start;
  const range = { complete: false, filter, sort, horizon: until, escalatedHorizon: until, restPending: true };
  offer({ ...merge([start, ...mine]), ...range });
}

/** The first rows and what follows them, as one page. */
async function continuePage(start: QueuePage, query: PageQuery, readPage: ReadPage): Promise<QueuePage> {
  if (start.next_cursor === null) return start;
  const rest = await readPage({ ...query, after: start.next_cursor, limit: PAGE_ROWS - FIRST_ROWS });
  const { rows, seqs } = merge([start, rest]);
  return { ...start, data: [...rows], seqs, next_cursor: rest.next_cursor, until: rest.until };
}

/** The pages after the first one, until there are as many rows as requested and enough in the view. */
async function readMorePages(
  first: QueuePage,
  { rows: wanted, isInView }: SnapshotRequest,
  readAfter: (after: string) => Promise<QueuePage>,
): Promise<QueuePage[]> {
  const pages: QueuePage[] = [];
  let rows = first.data.length;
  let matching = first.data.filter(isInView).length;
  let { next_cursor: next } = first;
  while (next !== null && pages.length + 1 < MAX_PAGES) {
    if (rows >= MAX_ROWS_LOADED || (rows >= wanted && matching >= MIN_MATCHING_ROWS)) break;
    const page = await readAfter(next);
    pages.push(page);
    rows += page.data.length;
    matching += page.data.filter(isInView).length;
    next = page.next_cursor;
  }
  return pages;
}

/**
 * Pages read one after the other show different moments. The merged rows count as read at the earliest of them: later events are
 * applied again, and the version of each item shows what is new.
 */
function merge(pages: readonly [QueuePage, ...QueuePage[]]): Pick<Snapshot, 'rows' | 'seqs' | 'counts'> {
  const rows = new Map<string, ItemRow>();
  const seqs: Record<string, number> = {};
  for (const page of pages) {
    for (const row of page.data) if (row.version > (rows.get(row.id)?.version ?? 0)) rows.set(row.id, row);
    for (const [project, seq] of Object.entries(page.seqs)) seqs[project] = Math.min(seqs[project] ?? seq, seq);
  }
  return { rows: [...rows.values()], seqs, counts: pages[0].counts };
}
