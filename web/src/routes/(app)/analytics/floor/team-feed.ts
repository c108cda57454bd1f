// The live team view of one project as a feed.
import { readTeamView, type TeamView } from '@countersign/shared/api/team';
import { call } from '#lib/api/client.ts';
import { ProjectFeed } from '#lib/live/project-feed.ts';

export const teamFeed = (projectId: string): ProjectFeed<TeamView> =>
  new ProjectFeed({
    ...{ projectId, spacing: 1000, idle: 30_000 },
    request: (signal) => call(readTeamView, { params: { id: projectId }, signal }),
  });
