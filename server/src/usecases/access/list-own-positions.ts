// Lists the event log positions of a user's projects, for a page that compares them with those of its sockets.
import type { Services } from '../services.ts';

/** Users of more projects read their pages again when their sockets connect: the list would be larger than the pages. */
const MOST = 100;

export interface OwnPosition {
  project_id: string;
  seq: number;
}

/** The same positions as those of the rooms that a socket enters. Null for more than {@link MOST} projects. */
export async function listOwnPositions(services: Services, userId: string): Promise<OwnPosition[] | null> {
  const rows = await services.db.read((em) =>
    em.execute<{ project_id: string; seq: string }[]>(
      `select m.project_id, p.event_seq as seq from member m join project p on p.id = m.project_id
       where m.user_id = ? limit ?`,
      [userId, MOST + 1],
    ),
  );
  if (rows.length > MOST) return null;
  return rows.map(({ project_id, seq }) => ({ project_id, seq: Number(seq) }));
}
