// Tests the history of an item over HTTP: newest first, older events by cursor, each event once.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { DomainEvent } from '@countersign/shared/schemas/parts/events';
import { HISTORY_EVENTS } from '@countersign/shared/limits';
import { readHistory } from '@countersign/shared/routes/queue';
import { aSubmission, openProject } from '../../builders.ts';
import { person } from '../../client.ts';
import { relayOnce } from '../../../src/worker/relay.ts';
import { serve, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
let served: Served;

beforeAll(async () => {
  served = await serve(testEnv.services);
});
afterAll(() => served.close());

it('I6: pages back to the first event of an item that was claimed very often', async () => {
  const owner = await person(served.testEnv);
  const project = await openProject(owner);
  const { id } = await project.pipeline.submit(aSubmission());
  const params = { id };
  await relayOnce(testEnv.services, testEnv.signals);
  // As if people had claimed and released it a hundred times.
  await testEnv.sql(
    `insert into event (id, project_id, seq, type, item_id, actor, data, created_at)
     select gen_random_uuid(), e.project_id, e.seq + n, case n % 2 when 1 then 'claim.lapsed' else 'claim.released' end, e.item_id,
       e.actor, jsonb_build_object('item_id', e.item_id, 'version', n + 1), e.created_at
     from event e, generate_series(1, ?::int) n where e.item_id = ? order by n`,
    [2 * HISTORY_EVENTS, id],
  );
  const pages: DomainEvent[][] = [];
  for (let after: string | undefined; ;) {
    const { data, next_cursor } = await owner.call(readHistory, {
      params,
      query: after === undefined ? {} : { after },
    });
    pages.unshift(data);
    if (next_cursor === null) break;
    after = next_cursor;
  }
  expect(pages.map(({ length }) => length)).toEqual([1, HISTORY_EVENTS, HISTORY_EVENTS]);
  const history = pages.flat();
  expect(history.map((event) => ('version' in event ? event.version : 0))).toEqual(
    history.map((_, index) => index + 1),
  );
  expect([history[0]?.type, history.at(-1)?.type]).toEqual(['item.queued', 'claim.released']);
  await owner.refused('invalid_cursor', readHistory, { params, query: { after: 'elsewhere' } });
});
