// A failing webhook and its alerts (WH6): a fixture project with a receiver whose responses the test sets.
import { afterEach, beforeEach } from 'vitest';
import type { WebhookAlertKind } from '@countersign/shared/enums';
import { changeSettings } from '../../../src/usecases/projects/change-settings.ts';
import { listAlerts, listProjectAlerts } from '../../../src/usecases/webhooks/list-alerts.ts';
import { seeAlert } from '../../../src/usecases/webhooks/see-alert.ts';
import type { MemberActor } from '../../../src/usecases/services.ts';
import { closeReceivers, httpReceiver } from '../../fixtures/receivers.ts';
import { deliveriesOf, sendAll } from './pending-deliveries.ts';
import { createProjectFixture, grantRole, type ProjectFixture } from '../support/project-fixture.ts';
import type { ServicesEnvironment } from '../support/test-services.ts';

export interface AlertFixture {
  fixture: ProjectFixture;
  /** What the receiver responds, by the delivery it gets. */
  answer: (webhookId: string) => number | Promise<number>;
}

/** A new project and a new receiver for every test, without deliveries of others. */
export function useAlertFixture(testEnv: ServicesEnvironment): AlertFixture {
  const now: AlertFixture = { fixture: {} as ProjectFixture, answer: () => 503 };
  beforeEach(async () => {
    await testEnv.sql('delete from attempt');
    await testEnv.sql('delete from delivery');
    now.answer = () => 503;
    const { port } = await httpReceiver((request, response) => {
      const id = String(request.headers['webhook-id']);
      const reply = async () => response.writeHead(await now.answer(id)).end();
      request.resume().on('end', () => void reply());
    });
    now.fixture = await createProjectFixture(testEnv.services, { webhook_url: `http://127.0.0.1:${port}/` });
  });
  afterEach(() => closeReceivers());
  return now;
}

/** What a test does to the webhook of the project, and reads of it. */
export function alertSteps(testEnv: ServicesEnvironment, now: AlertFixture) {
  const project = () => now.fixture.projectId;

  /** Deliveries of separate items, due now; `attempt` is how many attempts they have behind them. */
  const due = (count: number, attempt = 9) => deliveriesOf(testEnv, now.fixture, { count, attempt });

  /** Runs this many workers until nothing more can be sent now. */
  const deliver = async (workers = 1): Promise<void> => {
    await Promise.all(Array.from({ length: workers }, () => sendAll(testEnv.services)));
  };

  /** Exhausts a delivery, pauses an endpoint, or makes it work again: by default that of the settings. Returns the delivery. */
  const happens = async (kind: WebhookAlertKind, endpointId?: string): Promise<string[]> => {
    now.answer = () => ({ exhausted: 503, paused: 410, recovered: 204 })[kind];
    const ids = await due(1, kind === 'exhausted' ? 9 : 0);
    if (endpointId) await testEnv.sql('update delivery set endpoint_id = ? where id = ?', [endpointId, ...ids]);
    await deliver();
    return ids;
  };

  return { due, deliver, happens, ...reads(testEnv, project), ...ownerActions(testEnv, now) };
}

/** The known alerts. */
function reads(testEnv: ServicesEnvironment, project: () => string) {
  const unseenBy = async (who: MemberActor) =>
    (await listAlerts(testEnv.services, who)).filter(({ project_id }) => project_id === project());
  return {
    /** The alerts that a person has not dismissed in the project. */
    unseenBy,
    kindsFor: async (who: MemberActor) => (await unseenBy(who)).map(({ kind }) => kind),
    /** The alerts in the events, oldest first. */
    alertEvents: async () => {
      const alertKinds = `data ->> 'alert'`;
      const rows = await testEnv.sql<{ alert: string }>(
        `select ${alertKinds} as alert from event where project_id = ? and ${alertKinds} is not null order by id`,
        [project()],
      );
      return rows.map(({ alert }) => alert);
    },
    passOneHour: () =>
      testEnv.sql(`update webhook_endpoint set alerted_at = alerted_at - interval '1 hour' where project_id = ?`, [
        project(),
      ]),
  };
}

/** What owners do, and read. */
function ownerActions(testEnv: ServicesEnvironment, now: AlertFixture) {
  const project = () => now.fixture.projectId;
  const change = async (webhook_url: string | null) => {
    const [row] = await testEnv.sql<{ settings_version: number }>('select settings_version from project where id = ?', [
      project(),
    ]);
    const input = { projectId: project(), settingsVersion: row?.settings_version ?? 0, changes: { webhook_url } };
    await changeSettings(testEnv.services, now.fixture.owner, input);
  };
  const urlOf = async (): Promise<string> => {
    const text = 'select webhook_url as url from project where id = ?';
    return (await testEnv.sql<{ url: string }>(text, [project()]))[0]?.url ?? '';
  };
  return {
    change,
    urlOf,
    /** Saves the URL again, unchanged. */
    resume: async () => change(await urlOf()),
    see: (who: MemberActor, alertId: string) => seeAlert(testEnv.services, who, { projectId: project(), alertId }),
    join: (who: MemberActor, role: 'owner' | 'supervisor') => grantRole(testEnv.services, now.fixture, { who, role }),
    /** All alerts, oldest first. */
    alertKinds: async () =>
      (await listProjectAlerts(testEnv.services, now.fixture.owner, project()))
        .map(({ alert }) => alert.kind)
        .reverse(),
  };
}
