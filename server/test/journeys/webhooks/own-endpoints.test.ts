// Tests that a webhook never reaches a process of the service or a store, even with its address range allowed (W7).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listDeliveries } from '@countersign/shared/api/deliveries';
import { createProject } from '@countersign/shared/api/projects';
import { aProject, aSubmission, openProject, type OpenProject, review } from '../../builders.ts';
import { type Person, person } from '../../client.ts';
import { connectLive } from '../../live-client.ts';
import { type Receiver, startReceiver } from '../../receiver.ts';
import { useTestEnvironment } from '../../test-environment.ts';

describe('W7: a webhook', () => {
  const testEnv = useTestEnvironment({ env: { METRICS_PORT: '0' } });
  let owner: Person;
  let receiver: Receiver;

  beforeAll(async () => {
    owner = await person(testEnv);
    receiver = await startReceiver();
  });
  afterAll(() => receiver.close());

  const metricsPorts = () =>
    testEnv
      .log()
      .split('\n')
      .filter((line) => line.includes('health and metrics'))
      .map((line) => /"port":(\d+)/.exec(line)?.[1] ?? '');
  const portOf = (name: string) => new URL(testEnv.env[name] ?? '').port;
  const own = (): [string, string][] => [
    ...testEnv.urls.map((url): [string, string] => ['a process of the service', new URL(url).port]),
    ...metricsPorts().map((port): [string, string] => ['the metrics of one', port]),
    ['the database', portOf('DATABASE_URL')],
    ...('REDIS_URL' in testEnv.env ? [['the lock store', portOf('REDIS_URL')] as [string, string]] : []),
  ];
  const spellings = (port: string) =>
    ['127.0.0.1', '127.0.0.2', 'localhost', '[::1]'].map((host) => `http://${host}:${port}/hooks`);

  it('a webhook to an endpoint of the service is refused when it is saved', async () => {
    expect(metricsPorts().length).toBe(testEnv.urls.length);
    for (const [what, port] of own())
      for (const webhook_url of spellings(port)) {
        const body = aProject({ webhook_url });
        await owner.refused('webhook_url_refused', createProject, { body }).catch((error: unknown) => {
          throw new Error(`${what}: ${webhook_url}`, { cause: error });
        });
      }
    await owner.refused('webhook_url_refused', createProject, { body: aProject({ webhook_url: testEnv.baseUrl }) });
  });

  it('a webhook saved before the check is refused when it is sent, and another receiver in the range is reached', async () => {
    const project: OpenProject = await openProject(owner, { receiver });
    const live = await connectLive(owner);
    const decide = async () => {
      const { id } = await project.pipeline.submit(aSubmission());
      await review(owner, id, 'approve');
      return id;
    };
    await receiver.next(await decide());
    const address = `http://127.0.0.1:${portOf('DATABASE_URL')}/`;
    await testEnv.sql('update project set webhook_url = $1 where id = $2', [address, project.id]);
    const id = await decide();
    const changed = await live.next('delivery.changed', (event) => event.item_id === id);
    expect(changed).toMatchObject({ attempt: 1, error: 'blocked_address', http_status: null });
    const { data } = await owner.call(listDeliveries, { params: { id: project.id } });
    expect(data.find((delivery) => delivery.item_id === id)).toMatchObject({ status: 'pending' });
    live.close();
  });
});
