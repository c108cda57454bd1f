// Tests the catch-up feed for an item that became final twice: rejected by routing, reopened, decided by a person.
import { beforeAll, describe, expect, it } from 'vitest';
import { listPublicEvents } from '../../../src/usecases/decisions/list-public-events.ts';
import { relayOnce } from '../../../src/worker/relay.ts';
import { anItem, createProjectFixture, review, type ProjectFixture } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
let fixture: ProjectFixture;

beforeAll(async () => {
  fixture = await createProjectFixture(testEnv.services, { webhook_url: 'http://127.0.0.1:9999/hooks' });
});

async function told(): Promise<{ id: string; itemId: string }[]> {
  await relayOnce(testEnv.services, testEnv.signals);
  const { rows } = await listPublicEvents(testEnv.services, fixture.pipeline, { after: undefined, limit: 100 });
  return rows.map(({ eventId, itemId }) => ({ id: `evt_${eventId}`, itemId }));
}

describe('GET /events', () => {
  it('I5: lists the decision alone, once, under the id of its webhook', async () => {
    const { id } = await anItem(testEnv.services, fixture, { confidence: 0.1 });
    expect(await told()).toEqual([]);
    await testEnv.sql(`update item set status = 'queued', decided_at = null where id = ?`, [id]);
    await review(testEnv.services, fixture.anna, { itemId: id, action: 'approve' });
    const [event, ...others] = await told();
    expect(others).toEqual([]);
    const deliveries = await testEnv.sql<{ webhook_id: string }>('select webhook_id from delivery where item_id = ?', [
      id,
    ]);
    expect(deliveries).toEqual([{ webhook_id: event?.id }]);
    expect(event?.itemId).toBe(id);
  });
});
