// The floor of one project on the page.
import { readFloor, type Floor } from '@countersign/shared/api/floor';
import { call } from '#lib/api.ts';
import { ProjectFeed } from '#lib/live/project-feed.ts';

export const floorFeed = (projectId: string): ProjectFeed<Floor> =>
  new ProjectFeed({
    ...{ projectId, spacing: 1000, idle: 30_000 },
    ask: (signal) => call(readFloor, { params: { id: projectId }, signal }),
  });
