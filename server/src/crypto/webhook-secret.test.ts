// Webhook secrets: their format, and that both signature schemes accept them.
import { signWebhook, verifyWebhook } from '@countersign/shared/webhook';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { hmacSha256, makeWebhookSecret } from './webhook-secret.ts';

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
    const headers = await signWebhook(message, [secret], hmacSha256);
    expect(headers).toEqual(await signWebhook(message, [secret]));
    expect(await verifyWebhook(message.body, headers, { secret, now: timestamp })).toBe(true);
    expect(await verifyWebhook(message.body, headers, { secret: makeWebhookSecret(), now: timestamp })).toBe(false);
    expect(new Webhook(secret).verify(message.body, headers)).toEqual({ event: 'item.decided' });
    expect(() => new Webhook(makeWebhookSecret()).verify(message.body, headers)).toThrow();
  });
});
