// Validation of replay requests.
import { expect, it } from 'vitest';
import { replayDeliveries } from './deliveries.ts';

it.each([
  [undefined, true],
  [{}, true],
  [{ status: 'succeeded', from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00.000Z' }, true],
  [{ status: 'pending' }, true],
  [{ status: 'sending' }, false],
  [{ from: '0000-01-01T00:00:00.000Z' }, false],
  [{ to: '1969-12-31T23:59:59.999Z' }, false],
  [{ from: 'yesterday' }, false],
  [{ since: '2026-01-01T00:00:00Z' }, false],
])('a replay request with the body %j is valid: %s', (body, good) =>
  expect(replayDeliveries.body?.safeParse(body).success).toBe(good),
);
