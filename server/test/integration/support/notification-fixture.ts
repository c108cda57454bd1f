// Creates a project with reminders, a receiver of their messages, and the jobs of the worker that send them.
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { changeProject, readProject } from '@countersign/shared/routes/projects';
import type { Notification } from '@countersign/shared/schemas/parts/notifications';
import { remindOnce } from '../../../src/worker/remind.ts';
import { createReminderSender } from '../../../src/worker/send-reminders.ts';
import type { Services } from '../../../src/usecases/services.ts';
import { aSubmission, openProject, type OpenProject } from '../../builders.ts';
import { person, type Person } from '../../client.ts';
import { closeReceivers, httpReceiver } from '../../fixtures/receivers.ts';
import { serve, type Served } from './http-server.ts';
import { useServices } from './test-services.ts';

/** Sends until nothing is due any more, and waits for the results. */
async function sendDue(services: Services): Promise<void> {
  const sender = createReminderSender(services);
  while ((await sender.runOnce()).again === true) await sender.drain();
}

interface Got {
  path: string;
  headers: Record<string, string | undefined>;
  body: string;
}

interface Reminded {
  served: Served;
  owner: Person;
  /** The receiver's address without a path. */
  base: string;
  /** New for each test. No other project has reminders. */
  project: OpenProject;
  /** What arrived in this test. */
  got: Got[];
  /** What the receiver answers next, one status each, and then `status`. */
  statuses: number[];
  status: number;
}

/** `served`, `owner` and `base` exist from `beforeAll` on, the others from `beforeEach`. */
export function useNotificationFixture() {
  const inside = useServices();
  const now = {} as Reminded;

  beforeAll(async () => {
    now.served = await serve(inside.services);
    now.owner = await person(now.served.testEnv);
    const { port } = await httpReceiver((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        now.got.push({ path: request.url ?? '', headers: request.headers as Got['headers'], body });
        response.writeHead(now.statuses.shift() ?? now.status).end();
      });
    });
    now.base = `http://127.0.0.1:${port}`;
  });
  beforeEach(async () => {
    await inside.sql('delete from notification_message');
    await inside.sql(`update project set notifications = '[]'`);
    Object.assign(now, { got: [], statuses: [], status: 200 });
    now.project = await openProject(now.owner);
  });
  afterAll(async () => {
    await now.served.close();
    await closeReceivers();
  });

  /** Sets the reminders of the project; returns the answer, also a refusal. */
  async function attemptSet(notifications: Notification[], by = now.owner) {
    const params = { id: now.project.id };
    const { settings_version } = await now.owner.call(readProject, { params });
    return by.attempt(changeProject, { params, body: { settings_version, notifications } });
  }

  return {
    inside,
    now,
    attemptSet,
    /** Sets the reminders of the project; a refusal fails the test. */
    set: async (notifications: Notification[]): Promise<void> => {
      const answer = await attemptSet(notifications);
      if (!answer.ok) throw new Error(answer.text);
    },
    /** Submits this many items that wait. */
    submit: async (count: number): Promise<void> => {
      for (let n = 0; n < count; n += 1) await now.project.pipeline.submit(aSubmission());
    },
    /** Writes the messages of the rules that speak. */
    remind: (services = inside.services) => remindOnce(services),
    /** Sends the messages that are due. */
    send: (services = inside.services) => sendDue(services),
    /** Makes every pending message due. */
    due: () =>
      inside.sql(`update notification_message set next_attempt_at = now() - interval '1 s' where status = 'pending'`),
  };
}
