// Every project of whoever looks, however many pages the list has.
import { listProjects, type Project } from '@countersign/shared/api/projects';
import { call } from './client.ts';

/** As much as one page holds: nearly everybody's projects are one. */
const PAGE = 200;

/** Asks page after page, oldest projects first. Throws as `call` does; what came before a page that failed is dropped with it. */
export async function allProjects({
  archived = false,
  signal,
}: { archived?: boolean; signal?: AbortSignal } = {}): Promise<Project[]> {
  const all: Project[] = [];
  for (let after: string | undefined; ;) {
    const query = {
      limit: PAGE,
      ...(archived && { archived: 'true' as const }),
      ...(after !== undefined && { after }),
    };
    const { data, next_cursor } = await call(listProjects, { query, ...(signal && { signal }) });
    all.push(...data);
    if (next_cursor === null) return all;
    after = next_cursor;
  }
}
