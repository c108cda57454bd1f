// Tests that jobs of the worker with nothing due open no transaction: each runs every second in every process.
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Services } from '../../../src/usecases/services.ts';
import { expireItemsOnce } from '../../../src/worker/expire-items.ts';
import { finalizeOnce } from '../../../src/worker/finalize.ts';
import { replayOnce } from '../../../src/worker/replay.ts';
import { countOnce } from '../../../src/worker/count-rollups.ts';
import { expectNoFaults } from '../support/no-faults.ts';
import { anItem, createProjectFixture, review } from '../support/project-fixture.ts';
import { useServices } from '../support/test-services.ts';

const testEnv = useServices();
afterEach(async () => {
  vi.restoreAllMocks();
  await expectNoFaults(testEnv);
});

const JOBS: Record<string, (services: Services) => Promise<unknown>> = {
  finalize: finalizeOnce,
  'expire items': expireItemsOnce,
  count: (services) => countOnce(services),
  replay: (services) => replayOnce(services),
};

describe('a job with nothing due', () => {
  it.each(Object.entries(JOBS))('%s opens no transaction', async (_, run) => {
    const { services } = testEnv;
    const fixture = await createProjectFixture(services, { undo_window_seconds: 600 });
    const deadline = { until: { seconds: 600 }, pointer: '' };
    const [decided] = [await anItem(services, fixture, { deadline }), await anItem(services, fixture, { deadline })];
    await review(services, fixture.anna, { itemId: decided.id, action: 'approve' });
    const write = vi.spyOn(services.db, 'write');
    await run(services);
    expect(write).not.toHaveBeenCalled();
  });
});
