// Tests the inbound sources of a project: who creates and removes them, and how their secret is stored.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createInboundSource, listInboundSources, removeInboundSource } from '@countersign/shared/api/inbound';
import { decrypt } from '../../../src/crypto/key-ring.ts';
import { sourceContext } from '../../../src/domain/webhooks/inbound.ts';
import { openProject, type OpenProject } from '../../builders.ts';
import { person } from '../../client.ts';
import { aBody, aSender, hexOf, outcome, post, type Sender } from './inbound-sender.ts';
import { eventLogOf } from '../support/database-helpers.ts';
import { serve, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
let served: Served;
let project: OpenProject;

beforeAll(async () => {
  served = await serve(inside.services);
  project = await openProject(await person(served.testEnv));
});
afterAll(() => served.close());

const params = () => ({ id: project.id });
const list = async () => (await project.owner.call(listInboundSources, { params: params() })).data;
const rowOf = async (id: string) =>
  (
    await inside.sql<{ secret: string; last_used_at: string | Date | null }>(
      'select * from inbound_source where id = ?',
      [id],
    )
  )[0];
const sendBy = (sender: Sender) => {
  const body = aBody();
  return post(served, sender.path, { body, headers: hexOf(sender.secret, body) });
};
const changes = async () =>
  (await eventLogOf(inside, project.id)).filter(({ data }) => String(data.changed) === 'sources').length;

describe('a source', () => {
  it('is listed with its address and its use, newest first, and never with its secret', async () => {
    const first = await aSender(project, 'First');
    const second = await project.owner.call(createInboundSource, { params: params() });
    expect(second).toMatchObject({ name: 'Inbound source', last_used_at: null });
    expect(second.url).toBe(`${served.testEnv.baseUrl}/api/public/inbound/${second.id}`);
    const { inbound_secret: secret, ...shown } = second;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(secret).not.toBe(first.secret);
    const listed = await list();
    expect(listed.map(({ id }) => id)).toEqual([second.id, first.sourceId]);
    expect(listed[0]).toEqual(shown);
    expect(JSON.stringify(listed)).not.toContain('whsec_');
  });

  it('K3: its secret is encrypted for this source of this project', async () => {
    const { sourceId: id, secret } = await aSender(project);
    const row = await rowOf(id);
    if (row === undefined) throw new Error('It was made.');
    expect(JSON.stringify(row)).not.toContain(secret.slice('whsec_'.length));
    const ring = inside.services.keyRing;
    expect(decrypt(ring, row.secret, sourceContext({ id, projectId: project.id }))).toBe(secret);
    expect(() => decrypt(ring, row.secret, sourceContext({ id: project.id, projectId: id }))).toThrow();
    // In the row of another source, an encrypted secret cannot be decrypted.
    const other = await aSender(project);
    await inside.sql('update inbound_source set secret = ? where id = ?', [row.secret, other.sourceId]);
    expect(outcome(await sendBy({ ...other, secret }))).toBe('500 internal');
  });

  it('a source that is removed is refused from the next message on, and gone from the list; removing twice appends one event', async () => {
    const sender = await aSender(project);
    expect(outcome(await sendBy(sender))).toBe('201');
    const before = await changes();
    const gone = { params: { ...params(), source_id: sender.sourceId } };
    await project.owner.call(removeInboundSource, gone);
    expect(outcome(await sendBy(sender))).toBe('401 signature_invalid');
    expect((await list()).map(({ id }) => id)).not.toContain(sender.sourceId);
    await project.owner.call(removeInboundSource, gone);
    expect(await changes()).toBe(before + 1);
  });

  it('PM: of another project returns 404', async () => {
    const other = await openProject(await person(served.testEnv));
    const { sourceId } = await aSender(other);
    await project.owner.refused('not_found', removeInboundSource, { params: { ...params(), source_id: sourceId } });
    await project.owner.refused('not_found', listInboundSources, { params: { id: other.id } });
    expect((await other.owner.call(listInboundSources, { params: { id: other.id } })).data).toHaveLength(1);
  });

  it('records its last use, to the minute', async () => {
    const sender = await aSender(project);
    const used = async () => (await list()).find(({ id }) => id === sender.sourceId)?.last_used_at ?? null;
    await post(served, sender.path, { body: '{}', headers: hexOf('other', '{}') });
    expect(await used()).toBeNull();
    await sendBy(sender);
    const first = await used();
    expect(first).not.toBeNull();
    inside.clock.pass(59_000);
    await sendBy(sender);
    expect(await used()).toBe(first);
    inside.clock.pass(2_000);
    await sendBy(sender);
    expect(new Date((await used()) ?? 0).getTime()).toBeGreaterThanOrEqual(new Date(first ?? 0).getTime() + 60_000);
  });
});
