// Tests that a socket learns of a membership that was granted while its process could not listen to the database.
import { expect, it } from 'vitest';
import { acceptOffer } from '@countersign/shared/routes/offers';
import { aSubmission, offerTo, openProject } from '../../builders.ts';
import { person } from '../../client.ts';
import { connectLive } from '../../live-client.ts';
import { useTestEnvironment } from '../../test-environment.ts';

const testEnv = useTestEnvironment({ roles: ['web,worker', 'web'] });

it('QU4: a socket enters a project whose membership was granted while its process did not listen', async () => {
  const [project, who] = [await openProject(await person(testEnv)), await person(testEnv)];
  const offer = await offerTo(project, who.wallet.address);
  const live = await connectLive(who, { process: 1 });
  // A listening session is named after the port of its process, and opens again half a second after it was lost. Where the
  // acceptance takes longer, it is heard in the usual way; missed-notifications.test.ts watches the parts in any case.
  const ended = await testEnv.sql(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and position($1 in application_name) > 0`,
    [new URL(testEnv.url(1)).port],
  );
  expect(ended).toHaveLength(1);
  await who.call(acceptOffer, { params: { id: offer } }, { process: 0 });
  await live.entered(project.id);
  const { id } = await project.pipeline.submit(aSubmission({ confidence: 0.1 }));
  await live.next('item.finalized', (event) => event.item_id === id);
  live.close();
});
