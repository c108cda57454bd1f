// Tests KE3 and KE5: attempts are deleted separately, and what an included learning quotes stays.
import { describe, expect, it } from 'vitest';
import { exportFilter } from '@countersign/shared/schemas/exports';
import { exportLearnings } from '../../../src/usecases/learnings/export-learnings.ts';
import { readAudits } from '../../../src/usecases/analytics/read-audits.ts';
import { readCalibration } from '../../../src/usecases/analytics/read-calibration.ts';
import { readThresholds } from '../../../src/usecases/analytics/read-thresholds.ts';
import { replayDelivery } from '../../../src/usecases/webhooks/replay-deliveries.ts';
import { DAY_MS, faultsOf, settle, useRetentionFixture } from './retention-fixture.ts';
import { review } from '../support/project-fixture.ts';

const { testEnv, now, days, pass, submitted, decidedAndSent, detailOf, publicOf, learningOf, setExcluded, gone, mark } =
  useRetentionFixture();

describe('KE3: attempts', () => {
  it('KE3: are deleted, and the line of the delivery stays with its result', async () => {
    await days({ retention_attempt_days: 7 });
    now.answers = [500];
    const id = await decidedAndSent();
    await settle(testEnv);
    expect((await detailOf(id)).attempts).toHaveLength(2);
    await pass(8);
    const { attempts, ...line } = await detailOf(id);
    expect(attempts).toEqual([]);
    expect(line).toMatchObject({ status: 'succeeded', attempt: 2, http_status: 200, duration_ms: null });
    expect(line.body).toContain(mark(''));
    await replayDelivery(testEnv.services, now.fixture.supervisor, line.id);
    await settle(testEnv);
    expect((await detailOf(id)).attempts.map(({ n }) => n)).toEqual([3]);
    expect(await faultsOf(testEnv)).toEqual([]);
  });
});

describe('KE5: what a learning quotes', () => {
  it('KE5: stays while the learning is included, and is redacted its period after the exclusion', async () => {
    await days({ retention_payload_days: 7 });
    const id = await decidedAndSent('edit');
    await pass(100);
    expect(await publicOf(id)).toMatchObject({ input: { question: mark('input') } });
    const input = { projectId: now.fixture.projectId, filter: exportFilter.parse({}), skip: 0 };
    let lines = '';
    for await (const some of (await exportLearnings(testEnv.services, now.fixture.owner, input)).lines) lines += some;
    expect(lines).toContain(mark('output'));
    await setExcluded(id);
    await pass(6);
    expect(await publicOf(id)).not.toHaveProperty('emptied_at');
    await pass(2);
    expect(await publicOf(id)).toHaveProperty('emptied_at');
    expect(await learningOf(id)).toBeUndefined();
  });

  it('KE5: stays when included again, and a new exclusion restarts the period', async () => {
    await days({ retention_payload_days: 7, retention_item_days: 30 });
    const id = await decidedAndSent('reject');
    await setExcluded(id);
    testEnv.clock.pass(5 * DAY_MS);
    await setExcluded(id, false);
    await pass(40);
    expect(await learningOf(id)).toBeDefined();
    await setExcluded(id);
    await pass(6);
    expect(await learningOf(id)).toBeDefined();
    await pass(2);
    expect(await learningOf(id)).toBeUndefined();
    await pass(23);
    expect(await gone(id)).toBe(true);
    expect(await faultsOf(testEnv)).toEqual([]);
  });

  it('KE5: whose other items are deleted is no sample to judge thresholds by', async () => {
    await days({ retention_item_days: 30, audit_rate: 1 });
    const { services } = testEnv;
    const audited = async (action: 'approve' | 'reject') => {
      const { id } = await submitted({ confidence: 1 });
      await review(services, now.fixture.anna, { itemId: id, action });
    };
    const some = async () => {
      await decidedAndSent('reject');
      await audited('reject');
      await decidedAndSent('approve');
      await decidedAndSent('approve');
      await audited('approve');
      await settle(testEnv);
      // The database's clock does not move with ours.
      await testEnv.sql('update decision d set decided_at = i.created_at from item i where i.id = d.item_id');
      // Each took ten seconds: FL1 leaves out what took less than one.
      await testEnv.sql(
        `update event e set created_at = e.created_at + i.place * interval '10 seconds'
         from (select id, row_number() over (order by created_at, id) as place from item) i
         where i.id = e.item_id and e.type = 'item.decided'`,
      );
    };
    await some();
    await pass(31);
    const left = await testEnv.sql('select 1 from item where project_id = ?', [now.fixture.projectId]);
    await some();
    const at = services.clock.now().getTime();
    const window = { projectId: now.fixture.projectId, from: new Date(at - 80 * DAY_MS), to: new Date(at + 60_000) };
    const { arrivals, decisions, median } = await readThresholds(services, now.fixture.supervisor, window);
    const { quantile } = await readCalibration(services, now.fixture.supervisor, window);
    const { drawn, judged, wrong } = await readAudits(services, now.fixture.supervisor, window);
    expect(left).toHaveLength(2);
    expect([arrivals.n, decisions.n, median.n]).toEqual([5, 5, 5]);
    expect(quantile.reduce((sum, { n }) => sum + n, 0)).toBe(5);
    expect({ drawn, judged, wrong }).toEqual({ drawn: 2, judged: 2, wrong: 1 });
  });
});
