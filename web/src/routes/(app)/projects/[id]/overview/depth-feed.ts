// The feed of one project's queue depth.
import { readAnalytics, type Analytics } from '@countersign/shared/api/analytics';
import { call } from '#lib/api/client.ts';
import { clock } from '#lib/time/clock.svelte.ts';
import { ProjectFeed } from '#lib/live/project-feed.ts';
import { depthQuery } from './depth.ts';

/** `createdAt`: when the project was created, in ms. */
export const depthFeed = (projectId: string, createdAt: number): ProjectFeed<Analytics> =>
  new ProjectFeed({
    ...{ projectId, spacing: 3000, idle: 60_000 },
    request: (signal) =>
      call(readAnalytics, { params: { id: projectId }, query: depthQuery(clock.read(), createdAt), signal }),
  });
