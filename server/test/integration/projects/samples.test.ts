// Tests removing sample data while people work on it: what somebody just claimed stays, the rest goes (SA2).
import { beforeEach, describe, expect, it } from 'vitest';
import { claim } from '../../../src/usecases/claims/claim.ts';
import { removeSamples } from '../../../src/usecases/projects/samples.ts';
import { withOpenTransaction, waitForBlocked } from '../support/blocking-transaction.ts';
import { anItem, createProjectFixture, items, type ProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
let fixture: ProjectFixture;
beforeEach(async () => void (fixture = await createProjectFixture(testEnv.services)));

/** The items that the project has are its samples. */
async function markSamples(): Promise<void> {
  const { projectId } = fixture;
  await testEnv.sql(`update item set created_at = created_at - interval '1 hour' where project_id = ?`, [projectId]);
  const mark = `update project set samples = 'ready', samples_until = now() - interval '1 minute' where id = ?`;
  await testEnv.sql(mark, [projectId]);
}
const remove = () => removeSamples(testEnv.services, fixture.owner, fixture.projectId);
const idsLeft = async () =>
  (await testEnv.sql<{ id: string }>('select id from item where project_id = ?', [fixture.projectId])).map(
    ({ id }) => id,
  );

/** A session of Ben's. */
async function aSession(): Promise<string> {
  const id = testEnv.services.ids.uuid();
  await testEnv.sql(
    `insert into session (id, user_id, secret_hash, created_at, last_seen_at, expires_at)
     values (?, ?, ?, now(), now(), now() + interval '1 hour')`,
    [id, fixture.ben.userId, id.replaceAll('-', '').repeat(2)],
  );
  return id;
}

describe('SA2: removing samples', () => {
  it('leaves an item that somebody claims at the same moment', async () => {
    const { services } = testEnv;
    const { id } = await anItem(services, fixture);
    await items(services, fixture, 2);
    await markSamples();
    const session = await aSession();
    // The last statement of the claim waits for the session: by then it has the item.
    const endingSession: [string, unknown[]] = ['select 1 from session where id = ? for update', [session]];
    const grant = await withOpenTransaction(testEnv, endingSession, async (commit) => {
      const claiming = services.db.forSession(session, () => claim(services, fixture.ben, id));
      await waitForBlocked(testEnv, 1);
      const removing = remove();
      await waitForBlocked(testEnv, 2);
      await commit();
      await removing;
      return claiming;
    });
    expect(grant).toMatchObject({ fence: 1 });
    expect(await idsLeft()).toEqual([id]);
  });

  it('continues behind a whole batch that is worked on meanwhile', async () => {
    await anItem(testEnv.services, fixture);
    await testEnv.sql(
      `insert into item select (jsonb_populate_record(i, jsonb_build_object('id', gen_random_uuid()))).*
       from item i, generate_series(1, 501) where i.project_id = ?`,
      [fixture.projectId],
    );
    await markSamples();
    // The 500 first ones, as many as one batch.
    const working: [string, unknown[]] = [
      `with worked as (select id, project_id from item where project_id = ? order by id limit 500 for update)
       insert into event (id, project_id, type, item_id, actor, data, created_at)
       select gen_random_uuid(), project_id, 'item.claimed', id, '{"kind":"member"}', '{"version":2}', clock_timestamp() from worked`,
      [fixture.projectId],
    ];
    await withOpenTransaction(testEnv, working, async (commit) => {
      const removing = remove();
      await waitForBlocked(testEnv, 1);
      await commit();
      await removing;
    });
    expect(await idsLeft()).toHaveLength(500);
  });
});
