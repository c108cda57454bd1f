// The closed list of error codes, written out by hand.
import { describe, expect, it } from 'vitest';
import { ERRORS, Refusal } from './errors.ts';
import { problem } from './schemas/parts/problem.ts';

/** The expected codes per status. */
const CODES_BY_STATUS = {
  400: ['invalid_json', 'invalid_header', 'invalid_cursor', 'invalid_id'],
  401: [
    'api_key_missing',
    'api_key_invalid',
    'signature_missing',
    'signature_invalid',
    'signature_expired',
    'session_missing',
  ],
  403: ['project_mismatch', 'forbidden', 'blocked', 'origin_refused'],
  404: ['not_found'],
  405: ['method_not_allowed'],
  408: ['request_timeout'],
  409: [
    'idempotency_in_progress',
    'claim_held',
    'claim_lost',
    'too_many_claims',
    'already_decided',
    'already_revised',
    'expired',
    'already_extended',
    'stale_settings',
    'rotation_in_progress',
    'delivery_under_way',
    'undo_window_passed',
  ],
  413: ['payload_too_large'],
  415: ['unsupported_media_type'],
  422: [
    'validation_failed',
    'schema_invalid',
    'answer_invalid',
    'idempotency_key_reused',
    'webhook_url_refused',
    'unchanged_edit',
    'media_refused',
  ],
  429: ['rate_limited'],
  500: ['internal'],
  502: ['media_unavailable'],
  503: ['unavailable'],
};

describe('the error codes', () => {
  it('match the contract, each with its status', () => {
    const listed = Object.entries(CODES_BY_STATUS).flatMap(([status, codes]) =>
      codes.map((code) => [code, Number(status)]),
    );
    const ours = Object.entries(ERRORS).map(([code, { status }]) => [code, status]);
    expect(ours.sort()).toEqual(listed.sort());
  });

  it('have distinct titles, sentences without a full stop', () => {
    const titles = Object.values(ERRORS).map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
    for (const title of titles) expect(title).toMatch(/^[A-Z][^.]+$/);
  });

  it('are the only codes that a problem can carry', () => {
    const answer = { type: 't', title: 't', status: 400, detail: 'd', instance: '/', request_id: 'r' };
    for (const code of Object.keys(ERRORS)) expect(problem.safeParse({ ...answer, code }).success).toBe(true);
    expect(problem.safeParse({ ...answer, code: 'teapot' }).success).toBe(false);
  });

  it('are named by a refusal', () => {
    const refusal = new Refusal('claim_held', 'Take another one.', { holder: null });
    expect(refusal).toBeInstanceOf(Error);
    expect(refusal.message).toBe('claim_held: Take another one.');
    expect(refusal).toMatchObject({ name: 'Refusal', code: 'claim_held', extras: { holder: null } });
    expect(new Refusal('internal', 'x').extras).toEqual({});
  });
});
