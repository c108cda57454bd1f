// Creates items with deadlines of ten minutes and lets them pass; the clock is right again after each test.
import { afterEach } from 'vitest';
import type { Submission } from '@countersign/shared/schemas/public';
import type { ProjectSettings } from '@countersign/shared/settings';
import { expireItemsOnce } from '../../../src/worker/expire-items.ts';
import type { OpenProject } from '../../builders.ts';
import { setDeadlineClock } from './deadline-clock.ts';
import { useWebhookProject } from './webhook-project-fixture.ts';

/** As `useWebhookProject`; what is submitted has a deadline unless the overrides say otherwise. */
export function useDeadlineFixture(settings: Partial<ProjectSettings> = {}) {
  const { inside, now, submitted, sent } = useWebhookProject(settings);
  afterEach(() => setDeadlineClock(inside, 0));

  /** The deadlines of ten minutes pass, and the job of the worker runs. */
  async function passes(secondsAhead = 601): Promise<void> {
    await setDeadlineClock(inside, secondsAhead);
    await expireItemsOnce(inside.services);
  }

  /** The webhook events of a project with their statuses, in order. */
  const told = async (of?: Pick<OpenProject, 'id'>): Promise<string[]> =>
    (await sent(of)).map(({ event, status }) => `${String(event)} ${String(status)}`);

  return {
    ...{ inside, now, sent, told, passes },
    /** Submits an item to the project; returns its ID. */
    submitted: (overrides: Partial<Submission> = {}) => submitted({ deadline_seconds: 600, ...overrides }),
  };
}
