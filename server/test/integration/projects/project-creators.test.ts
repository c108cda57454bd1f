// Tests who may create projects when the operator restricts it (PROJECT_CREATORS).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProject } from '@countersign/shared/routes/projects';
import { readSession } from '@countersign/shared/routes/session';
import { makeWallet, person } from '../../client.ts';
import { serve, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
const named = makeWallet();
let served: Served;

beforeAll(async () => {
  served = await serve({ ...inside.services, projectCreators: new Set([named.address]) });
});
afterAll(() => served.close());

describe('PM7: PROJECT_CREATORS', () => {
  it('lets the wallets it names create projects, and says so in their session', async () => {
    const creator = await person(served.testEnv, named);
    expect([creator.session, await creator.call(readSession)]).toMatchObject(
      [0, 1].map(() => ({ abilities: { create_project: true } })),
    );
    expect(await creator.call(createProject, { body: { name: 'Refunds' } })).toMatchObject({ role: 'owner' });
  });

  it('refuses everybody else with a sentence that says why', async () => {
    const other = await person(served.testEnv);
    expect(other.session.abilities).toEqual({ create_project: false });
    const before = await inside.sql('select id from project');
    const { detail } = await other.refused('forbidden', createProject, { body: { name: 'Mine' } });
    expect(detail).toContain('may not create projects on this service');
    expect(await inside.sql('select id from project')).toEqual(before);
  });

  it('allows everybody when it is not set', async () => {
    const open = await serve(inside.services);
    const other = await person(open.testEnv);
    expect(other.session.abilities).toEqual({ create_project: true });
    await other.call(createProject, { body: { name: 'Mine' } });
    await open.close();
  });
});
