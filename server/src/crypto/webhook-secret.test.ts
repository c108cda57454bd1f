// Webhook secrets: their format, and that both signature schemes accept them.
import { signWebhook, verifyWebhook } from '@countersign/shared/webhook';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { makeWebhookSecret, signingKeysOf, signWithKeys } from './webhook-secret.ts';

describe('a webhook secret', () => {
  it('consists of whsec_ and the base64 of 32 bytes', () => {
    const secret = makeWebhookSecret();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
  });

  it('is different each time one is generated', () => {
    expect(new Set(Array.from({ length: 1000 }, makeWebhookSecret)).size).toBe(1000);
  });

  it('signs what our receivers and those of Standard Webhooks verify, and another secret does not verify', async () => {
    const secret = makeWebhookSecret();
    const timestamp = Math.floor(Date.now() / 1000);
    const message = { id: 'msg_1', timestamp, attempt: 1, body: '{"event":"item.decided"}' };
    const headers = signWithKeys(message, [signingKeysOf(secret)]);
    expect(await verifyWebhook(message.body, headers, { secret, now: timestamp })).toBe(true);
    expect(await verifyWebhook(message.body, headers, { secret: makeWebhookSecret(), now: timestamp })).toBe(false);
    expect(new Webhook(secret).verify(message.body, headers)).toEqual({ event: 'item.decided' });
    expect(() => new Webhook(makeWebhookSecret()).verify(message.body, headers)).toThrow();
  });

  it('signs with keys as signWebhook signs with the secrets themselves', async () => {
    const [first, second] = [makeWebhookSecret(), 'a secret of another format'];
    for (const body of ['', '{"event":"item.decided","output":"Größe: 10 €"}']) {
      const message = { id: 'msg_1', timestamp: 1_800_000_000, attempt: 3, body };
      for (const secrets of [[first], [second, first]] as [string, ...string[]][]) {
        const [one, ...more] = secrets;
        const headers = signWithKeys(message, [signingKeysOf(one), ...more.map(signingKeysOf)]);
        expect(headers).toEqual(await signWebhook(message, secrets));
      }
    }
  });
});
