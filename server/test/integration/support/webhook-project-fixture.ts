// A project with a webhook, a reviewer and a supervisor over HTTP, new for each test; every test ends without a fault.
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { Submission } from '@countersign/shared/schemas/public';
import type { ProjectSettings } from '@countersign/shared/settings';
import { relayOnce } from '../../../src/worker/relay.ts';
import { aSubmission, join, openProject, type OpenProject } from '../../builders.ts';
import { person, type Person } from '../../client.ts';
import { serve, type Served } from './http-server.ts';
import { expectNoFaults } from './no-faults.ts';
import { useServices } from './test-services.ts';

/** The webhook of the project. Nothing listens there: the tests read what would be sent. */
export const HOOK = { webhook_url: 'http://127.0.0.1:9090/' };

interface WebhookProject {
  served: Served;
  project: OpenProject;
  /** A reviewer. */
  anna: Person;
  /** A supervisor. */
  boss: Person;
}

/** The settings come on top of the webhook. What `now` contains exists from `beforeEach` on; `served` from `beforeAll`. */
export function useWebhookProject(settings: Partial<ProjectSettings> = {}) {
  const inside = useServices();
  const now = {} as WebhookProject;

  beforeAll(async () => {
    now.served = await serve(inside.services);
  });
  beforeEach(async () => {
    const { testEnv } = now.served;
    now.project = await openProject(await person(testEnv), { settings: { ...HOOK, ...settings } });
    [now.anna, now.boss] = [await person(testEnv), await person(testEnv)];
    await join(now.project, now.anna);
    await join(now.project, now.boss, 'supervisor');
  });
  afterEach(() => expectNoFaults(inside));
  afterAll(() => now.served.close());

  /** Submits an item, by default to the project of the test; returns its ID. */
  const submitted = async (overrides: Partial<Submission> = {}, of = now.project): Promise<string> =>
    (await of.pipeline.submit(aSubmission(overrides))).id;

  /** The webhook bodies of a project, in order, as they are sent. */
  async function sentTexts(of: Pick<OpenProject, 'id'> = now.project): Promise<string[]> {
    while ((await relayOnce(inside.services, inside.signals)).again === true);
    const rows = await inside.sql<{ body: string }>('select body from delivery where project_id = ? order by seq', [
      of.id,
    ]);
    return rows.map(({ body }) => body);
  }

  /** The same, parsed. */
  const sent = async (of?: Pick<OpenProject, 'id'>): Promise<Record<string, unknown>[]> =>
    (await sentTexts(of)).map((body) => JSON.parse(body) as Record<string, unknown>);

  return { inside, now, submitted, sentTexts, sent };
}
