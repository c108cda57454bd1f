// Reads all projects of the user, across all pages of the list.
import { listProjects } from '@countersign/shared/routes/projects';
import type { Project } from '@countersign/shared/schemas/projects';
import { call } from './client.ts';

/** The largest page: nearly every user's projects fit in one. */
const PAGE = 200;

/** Requests page after page, oldest projects first. Throws as `call` does; the pages before a failed one are discarded. */
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
