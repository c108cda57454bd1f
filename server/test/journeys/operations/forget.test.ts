// Tests erasing a wallet (KE6): no row has its name or address, its sessions and sockets end, its work stays.
import { beforeAll, describe, expect, it } from 'vitest';
import { listChanges } from '@countersign/shared/routes/changes';
import { declineOffer } from '@countersign/shared/routes/offers';
import { createInvite } from '@countersign/shared/routes/invites';
import { changeMember, listMembers } from '@countersign/shared/routes/projects';
import { readQueueItem } from '@countersign/shared/routes/queue';
import { readSession } from '@countersign/shared/routes/session';
import { aSubmission, join, offerTo, openProject, type OpenProject, review } from '../../builders.ts';
import { type Person, person } from '../../client.ts';
import { connectLive } from '../../live-client.ts';
import { expectInvariants, runScript } from '../../run-script.ts';
import { useTestEnvironment } from '../../test-environment.ts';
import { connectTo } from '../../../../scripts/lib/processes/postgres-client.ts';

const NAME = 'Zacharias Quillfeather';

describe('KE6: npm run forget', () => {
  const testEnv = useTestEnvironment();
  let project: OpenProject;
  let gone: Person;
  let itemId: string;
  let declined: OpenProject;
  const address = () => gone.wallet.address;
  const params = () => ({ id: project.id });

  beforeAll(async () => {
    project = await openProject(await person(testEnv));
    gone = await person(testEnv);
    await join(project, gone, 'owner');
    await gone.call(changeMember, { params: { ...params(), user_id: gone.id }, body: { name: NAME } });
    await project.owner.call(createInvite, { params: params(), body: { role: 'owner', address: address() } });
    const friend = await person(testEnv);
    await join({ id: project.id, owner: gone }, friend);
    declined = await openProject(project.owner);
    await gone.call(declineOffer, { params: { id: await offerTo(declined, address()) } });
    await offerTo(await openProject(project.owner), address());
    itemId = (await project.pipeline.submit(aSubmission())).id;
    await review(gone, itemId, 'reject');
  });

  /** Every table with a row that contains one of these texts. */
  async function placesOf(...texts: string[]): Promise<string[]> {
    const client = await connectTo(testEnv.env.DATABASE_URL ?? '');
    const { rows: tables } = await client.query<{ name: string }>(
      `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`,
    );
    const found: string[] = [];
    for (const { name } of tables) {
      const text = `select 1 from "${name}" t where exists (select from unnest($1::text[]) x where position(x in t::text) > 0) limit 1`;
      if ((await client.query(text, [texts])).rowCount) found.push(name);
    }
    await client.end();
    return found;
  }
  const shortened = () => `${address().slice(0, 4)}…${address().slice(-4)}`;

  it('reports what it finds, and changes nothing without --yes', async () => {
    const output = await runScript('forget.ts', testEnv.env, '--wallet', address());
    expect(output).toContain('1 decisions, member of 1 projects');
    expect(output).toContain('Nothing was changed');
    expect(await placesOf(NAME, address(), shortened())).toEqual([
      'app_user',
      'event',
      'invite',
      'offer',
      'project_change',
    ]);
  });

  it('refuses the only owner of a project, and names the project (PM1)', async () => {
    const refused = runScript('forget.ts', testEnv.env, '--wallet', project.owner.wallet.address, '--yes');
    await expect(refused).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringContaining(`(${declined.id}): its only owner`) as string,
    });
    expect(await project.owner.call(readSession)).toMatchObject({ user: { id: project.owner.id } });
  });

  it('ends the person everywhere, and leaves their name and address in no row', async () => {
    const live = await connectLive(gone);
    const output = await runScript('forget.ts', testEnv.env, '--wallet', address(), '--yes');
    const pseudonym = /by (Former member [0-9a-f]{8})\./.exec(output)?.[1] ?? '';
    expect(pseudonym).not.toBe('');
    await live.closed();
    await gone.refused('session_missing', readSession);
    expect(await placesOf(NAME, address(), shortened())).toEqual([]);

    const { data: members } = await project.owner.call(listMembers, { params: params() });
    expect(members.map(({ user_id }) => user_id)).not.toContain(gone.id);
    const item = await project.owner.call(readQueueItem, { params: { id: itemId } });
    expect(item).toMatchObject({ status: 'rejected', decided_by: pseudonym, decision: { reviewer_id: gone.id } });
    const { data: changes } = await project.owner.call(listChanges, { params: params() });
    expect(changes[0]).toMatchObject({ action: 'member.left', subject: pseudonym, changed_by: { name: pseudonym } });
    await expectInvariants(testEnv.env);
  });

  it('finds nothing a second time, and the next sign-in creates a new user', async () => {
    expect(await runScript('forget.ts', testEnv.env, '--wallet', address(), '--yes')).toContain('Nothing is known');
    const again = await person(testEnv, gone.wallet);
    expect(again.id).not.toBe(gone.id);
  });
});
