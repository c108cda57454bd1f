// Which parts of a request, an event and an attempt appear in the trace of an item.
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
  it('starts its duration before its end', () => {
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
  ])('with status %i: did the service fail? %s', (status, failed) => {
    expect(stepOfRequest({ ...request, status }, NOW)?.failed).toBe(failed);
  });

  it('is not traced without an item', () => expect(stepOfRequest({ ...request, itemId: null }, NOW)).toBeNull());
});

describe('an event', () => {
  it('spans from its append to its sequence number', () => {
    const attributes = { 'countersign.project_id': 'p', 'countersign.seq': 7 };
    const step = { itemId: 'i', name: 'item.queued', kind: 'event', startedAt: NOW - 20, endedAt: NOW, failed: false };
    expect(stepOfEvent(event, NOW)).toEqual({ ...step, first: true, attributes });
  });

  it.each([
    [1, true],
    [2, false],
    [null, false],
  ])('with version %s: is it the root span? %s', (version, first) => {
    expect(stepOfEvent({ ...event, version }, NOW)?.first).toBe(first);
  });

  it('never ends before it starts when the clocks of two machines differ', () => {
    expect(stepOfEvent({ ...event, appendedAt: NOW + 5 }, NOW)).toMatchObject({ startedAt: NOW, endedAt: NOW });
  });

  it('is not traced without an item', () => expect(stepOfEvent({ ...event, itemId: null }, NOW)).toBeNull());
});

it.each([
  [503, { 'http.response.status_code': 503 }],
  [null, {}],
])('an attempt with the response %s', (status, extra) => {
  expect(stepOfAttempt({ ...attempt, status }, NOW)).toEqual({
    ...{ itemId: 'i', first: false, name: 'webhook attempt 2', kind: 'post', failed: true },
    ...{ startedAt: NOW - 250, endedAt: NOW },
    attributes: {
      ...{ 'http.request.method': 'POST', 'countersign.project_id': 'p', 'countersign.webhook_id': 'w' },
      ...{ 'countersign.attempt': 2, ...extra },
    },
  });
});
