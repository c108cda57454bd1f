// What of a request, a fact and an attempt is told in the trace of an item.
import { describe, expect, it } from 'vitest';
import { stepOfAttempt, stepOfEvent, stepOfRequest } from './steps.ts';

const NOW = 1_700_000_000_000;
const request = {
  method: 'POST',
  route: '/api/items/:id/claim',
  status: 200,
  seconds: 0.5,
  requestId: 'r',
  itemId: 'i',
};
const event = { type: 'item.queued', projectId: 'p', seq: 7, itemId: 'i', version: 1, appendedAt: NOW - 20 };
const attempt = { outcome: 'failed', seconds: 0.25, itemId: 'i', projectId: 'p', webhookId: 'w', attempt: 2 } as const;

describe('a request', () => {
  it('began as long ago as it took', () => {
    expect(stepOfRequest(request, NOW)).toMatchObject({
      ...{ itemId: 'i', first: false, name: 'POST /api/items/:id/claim', kind: 'request', failed: false },
      ...{ startedAt: NOW - 500, endedAt: NOW },
      attributes: { 'http.response.status_code': 200, 'countersign.request_id': 'r' },
    });
  });

  it.each([
    [409, false],
    [429, false],
    [500, true],
    [503, true],
  ])('that is answered %i: did the service fail? %s', (status, failed) => {
    expect(stepOfRequest({ ...request, status }, NOW)?.failed).toBe(failed);
  });

  it('about no item is not told', () => expect(stepOfRequest({ ...request, itemId: null }, NOW)).toBeNull());

  it.each([401, 403, 404])('T4: that is answered %i is not told: its sender may have made the id up', (status) => {
    expect(stepOfRequest({ ...request, status }, NOW)).toBeNull();
  });
});

describe('a fact', () => {
  it('takes from its being stated until it has its place', () => {
    const attributes = { 'countersign.project_id': 'p', 'countersign.seq': 7 };
    const told = { itemId: 'i', name: 'item.queued', kind: 'event', startedAt: NOW - 20, endedAt: NOW, failed: false };
    expect(stepOfEvent(event, NOW)).toEqual({ ...told, first: true, attributes });
  });

  it.each([
    [1, true],
    [2, false],
    [null, false],
  ])('with version %s: is it the one the others hang from? %s', (version, first) => {
    expect(stepOfEvent({ ...event, version }, NOW)?.first).toBe(first);
  });

  it('never ends before it begins, when clocks of two machines differ', () => {
    expect(stepOfEvent({ ...event, appendedAt: NOW + 5 }, NOW)).toMatchObject({ startedAt: NOW, endedAt: NOW });
  });

  it('about no item is not told', () => expect(stepOfEvent({ ...event, itemId: null }, NOW)).toBeNull());
});

it.each([
  [503, { 'http.response.status_code': 503 }],
  [null, {}],
])('an attempt that is answered %s', (status, extra) => {
  expect(stepOfAttempt({ ...attempt, status }, NOW)).toEqual({
    ...{ itemId: 'i', first: false, name: 'webhook attempt 2', kind: 'post', failed: true },
    ...{ startedAt: NOW - 250, endedAt: NOW },
    attributes: {
      ...{ 'http.request.method': 'POST', 'countersign.project_id': 'p', 'countersign.webhook_id': 'w' },
      ...{ 'countersign.attempt': 2, ...extra },
    },
  });
});
