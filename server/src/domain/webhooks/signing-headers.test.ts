// W6: the shown headers of an attempt are those that are sent, except for the signatures.
import { describe, expect, it } from 'vitest';
import { signWebhook } from '@countersign/shared/webhook';
import { maskedHeaders, timestampOf, withFixed } from './signing.ts';

const AT = new Date('2026-03-01T12:00:00.999Z');
const MESSAGE = { id: 'evt_1', timestamp: timestampOf(AT), attempt: 3, body: '{"a":1}' };
const SECRETS = ['whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=', 'another'] as const;

describe('W6: the headers of a request', () => {
  it.each([1, 2])('are shown as they are sent, in name and order, when %i secrets sign', async (signatures) => {
    const [first, ...rest] = SECRETS.slice(0, signatures) as [string, ...string[]];
    const sent = withFixed(await signWebhook(MESSAGE, [first, ...rest]));
    const shown = maskedHeaders({ webhookId: 'evt_1', attempt: 3, at: AT, signatures });
    expect(Object.keys(shown)).toEqual(Object.keys(sent));
    const differing = Object.keys(sent).filter((name) => sent[name] !== shown[name]);
    expect(differing).toEqual(Object.keys(sent).filter((name) => name.includes('signature')));
    for (const name of differing) expect(shown[name]).toMatch(/^(v1,)?•{12}( v1,•{12})?$/);
    expect(shown['webhook-signature']?.split(' ')).toHaveLength(signatures);
  });

  it('assume one signature for an attempt where the number was not recorded', () => {
    const shown = maskedHeaders({ webhookId: 'evt_1', attempt: 1, at: AT, signatures: null });
    expect(Object.keys(shown)).not.toContain('x-webhook-signature-secondary');
  });
});
