// Waiting for a decision: through faults, restarts and a busy service, until the item ends or the time is over.
import { afterEach, describe, expect, it } from 'vitest';
import { ItemEndedError, WaitTimeoutError } from '../client.ts';
import {
  answer,
  closeServices,
  connected,
  failed,
  fakeClock,
  ITEM,
  NEW_ITEM,
  refuse,
  type Behaviour,
} from './fake-service.fixture.ts';

afterEach(closeServices);

const TIME = '2026-11-20T14:02:31.000Z';
const item = (status: string, decision: object | null = null) => ({
  ...{ ...NEW_ITEM, id: ITEM, status, decision, risk_flags: [], metadata: null, created_at: TIME, decided_at: null },
  routing: { rule: 'RT3', auto_threshold: 0.9, review_threshold: 0.5, matched_flags: [], settings_version: 1 },
});
const DECISION = {
  ...{ id: ITEM, status: 'approved', action: 'approve', output: 'Because.', edited: false, reason: null, note: null },
  ...{ reviewer_id: ITEM, decided_at: TIME },
};

/** Answers with these behaviours, one each request, and with the last one from then on. */
function inTurn(...turns: Behaviour[]): Behaviour {
  let turn = 0;
  return (...given) => {
    const behaviour = turns[Math.min(turn, turns.length - 1)];
    turn += 1;
    return behaviour?.(...given);
  };
}
const shows =
  (status: string, decision: object | null = null): Behaviour =>
  (_seen, _attempt, response) =>
    answer(response, item(status, decision));
const fails =
  (status: number, code = `http_${status}`, retryAfter = '1'): Behaviour =>
  (_seen, _attempt, response) =>
    refuse(response, { status, code, retryAfter });

/** A service that holds each request as long as it was asked to: the clock of the client goes on meanwhile. */
async function patient(behaviour: Behaviour) {
  const { clock, slept } = fakeClock();
  let held = 0;
  const waiting: Behaviour = (seen, attempt, response) => {
    held += Number(new URL(seen.url, 'http://x').searchParams.get('wait')) * 1000;
    return behaviour(seen, attempt, response);
  };
  const { api, requests } = await connected(waiting, { ...clock, now: () => clock.now() + held });
  const asked = () => requests.map(({ url }) => new URL(url, 'http://x').searchParams.get('wait'));
  return { api, slept, asked };
}

describe('wait', () => {
  it('asks again until the item is decided', async () => {
    const { api, asked, slept } = await patient(
      inTurn(shows('queued'), shows('escalated'), shows('approved', DECISION)),
    );
    expect(await api.wait(ITEM)).toEqual(DECISION);
    expect([asked(), slept]).toEqual([['50', '50', '50'], []]);
  });

  it.each(['expired', 'withdrawn', 'rejected', 'escalated_final'])('reports that the item is %s', async (status) => {
    const { api } = await patient(shows(status));
    const error = await failed(api.wait(ITEM));
    expect(error).toBeInstanceOf(ItemEndedError);
    expect(error).toMatchObject({ item: { id: ITEM, status } });
  });

  it('ends when the time is over, with a wait no longer than what is left', async () => {
    const { api, asked } = await patient(shows('queued'));
    const error = await failed(api.wait(ITEM, { timeoutSeconds: 70 }));
    expect(error).toBeInstanceOf(WaitTimeoutError);
    expect(error).toMatchObject({ itemId: ITEM, pausedRun: null });
    expect(asked()).toEqual(['50', '20']);
  });

  it.each([
    ['is below a second', 0.9, ['0', '0'], [900]],
    ['has a fraction of a second', 2.5, ['2', '0'], [500]],
  ])('lasts to its end where the timeout %s', async (_name, timeoutSeconds, waits, pauses) => {
    const { api, asked, slept } = await patient(shows('queued'));
    expect(await failed(api.wait(ITEM, { timeoutSeconds }))).toBeInstanceOf(WaitTimeoutError);
    expect([asked(), slept]).toEqual([waits, pauses]);
  });

  it('returns a decision of the last fraction of a second', async () => {
    const { api } = await patient(inTurn(shows('queued'), shows('approved', DECISION)));
    expect(await api.wait(ITEM, { timeoutSeconds: 0.9 })).toEqual(DECISION);
  });

  it('reads the item once where the timeout is 0', async () => {
    const { api, asked } = await patient(shows('approved', DECISION));
    expect(await api.wait(ITEM, { timeoutSeconds: 0 })).toEqual(DECISION);
    expect(asked()).toEqual(['0']);
  });

  it('continues after any number of temporary faults', async () => {
    const faults = Array.from({ length: 40 }, () => fails(503));
    const { api } = await patient(inTurn(...faults, shows('approved', DECISION)));
    expect(await api.wait(ITEM)).toEqual(DECISION);
  });

  it('ends with the last fault as the cause, when the time is over', async () => {
    const { api } = await patient(fails(503));
    const error = await failed(api.wait(ITEM, { timeoutSeconds: 30 }));
    expect(error).toBeInstanceOf(WaitTimeoutError);
    expect(error).toMatchObject({ cause: { status: 503 } });
  });

  it('asks again after a pause where the service is too busy to hold the request', async () => {
    const { api, slept, requests } = await connected(
      inTurn(shows('queued'), shows('queued'), shows('approved', DECISION)),
    );
    expect(await api.wait(ITEM)).toEqual(DECISION);
    expect([requests.length, slept]).toEqual([3, [2000, 2000]]);
  });

  it('fails at once after a permanent refusal, and for an invalid timeout', async () => {
    const { api, asked } = await patient(fails(404, 'not_found'));
    expect(await failed(api.wait(ITEM))).toMatchObject({ code: 'not_found' });
    expect(await failed(api.wait(ITEM, { timeoutSeconds: Number.NaN }))).toBeInstanceOf(TypeError);
    expect(await failed(api.wait(ITEM, { timeoutSeconds: -1 }))).toBeInstanceOf(TypeError);
    expect(asked()).toHaveLength(1);
  });

  it('ends when its signal aborts, also between two requests', async () => {
    const stop = new AbortController();
    const sleep = async () => stop.abort(new Error('enough'));
    const { api, requests } = await connected(shows('queued'), { sleep });
    expect(await failed(api.wait(ITEM, { signal: stop.signal }))).toMatchObject({ message: 'enough' });
    expect(requests).toHaveLength(1);
  });
});
