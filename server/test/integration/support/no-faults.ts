// Asserts the invariants over everything that a test left in its database.
import { expect } from 'vitest';
import { checksOf, reader, type Fault } from '../../../src/invariants/invariants.ts';
import { relayAll } from '../analytics/rollup-checks.ts';
import type { ServicesEnvironment } from './test-services.ts';

/** Assigns the sequence numbers first: without them, deliveries are missing. */
export async function expectNoFaults(inside: ServicesEnvironment): Promise<void> {
  await relayAll(inside);
  const faults: Fault[] = [];
  for (const check of checksOf(inside.orm))
    await check.run(
      reader(inside.orm),
      (fault) => faults.push(fault),
      () => undefined,
    );
  expect(faults).toEqual([]);
}
