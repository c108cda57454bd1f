// Signing and verifying webhooks, compared with node:crypto and the Standard Webhooks library.
/// <reference types="node" />
import { createHmac, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import {
  HEADERS,
  judgeTimestamp,
  signWebhook,
  TOLERANCE_SECONDS,
  verifyHex,
  verifyStandard,
  verifyWebhook,
} from './webhook.ts';

const SECRET = `whsec_${randomBytes(32).toString('base64')}`;
const OTHER = `whsec_${randomBytes(32).toString('base64')}`;
const NOW = 1_772_366_400;
const BODY = '{"event":"item.decided","output":{"b":1.50,"a":"é😀\\u00e9"}}';
const MESSAGE = { id: 'evt_0197f1a0', timestamp: NOW, attempt: 3, body: BODY };

type Headers = Record<string, string | undefined>;

const hex = (secret: string, body: string) => createHmac('sha256', secret).update(body).digest('hex');
const standard = (secret: string, { id, timestamp, body } = MESSAGE) =>
  createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
    .update(`${id}.${timestamp}.${body}`)
    .digest('base64');
const verify = (headers: Headers, given: { body?: string; secret?: string; now?: number } = {}) =>
  verifyWebhook(given.body ?? BODY, headers, { secret: given.secret ?? SECRET, now: given.now ?? NOW });

describe('signing', () => {
  it('writes the headers of the contract, as node:crypto computes them', async () => {
    expect(await signWebhook(MESSAGE, [SECRET])).toEqual({
      'x-webhook-signature': hex(SECRET, BODY),
      'webhook-id': 'evt_0197f1a0',
      'webhook-timestamp': '1772366400',
      'webhook-signature': `v1,${standard(SECRET)}`,
      'x-webhook-attempt': '3',
    });
  });

  it('signs the secondary headers with a second secret', async () => {
    expect(await signWebhook(MESSAGE, [SECRET, OTHER])).toMatchObject({
      'x-webhook-signature': hex(SECRET, BODY),
      'x-webhook-signature-secondary': hex(OTHER, BODY),
      'webhook-signature': `v1,${standard(SECRET)} v1,${standard(OTHER)}`,
    });
  });

  it('matches a fixed vector: the hex signature never changes', async () => {
    const headers = await signWebhook({ ...MESSAGE, body: '{"a":1}' }, ['whsec_c2VjcmV0']);
    expect(headers[HEADERS.signature]).toBe(hex('whsec_c2VjcmV0', '{"a":1}'));
    expect(headers[HEADERS.signature]).toMatch(/^[0-9a-f]{64}$/);
  });

  it('uses the bytes of a secret without our prefix for both schemes', async () => {
    const headers = await signWebhook(MESSAGE, ['hunter2']);
    const expected = createHmac('sha256', 'hunter2').update(`${MESSAGE.id}.${NOW}.${BODY}`).digest('base64');
    expect(headers[HEADERS.standard]).toBe(`v1,${expected}`);
  });

  it('by property: the Standard Webhooks library accepts our signatures, and we accept its signatures', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json(), fc.stringMatching(/^evt_[a-z0-9-]{1,40}$/), async (body, id) => {
        const timestamp = Math.floor(Date.now() / 1000);
        const ours = await signWebhook({ id, timestamp, attempt: 1, body }, [OTHER, SECRET]);
        expect(new Webhook(SECRET).verify(body, ours)).toEqual(JSON.parse(body));
        const theirs = {
          [HEADERS.id]: id,
          [HEADERS.timestamp]: String(timestamp),
          [HEADERS.standard]: new Webhook(SECRET).sign(id, new Date(timestamp * 1000), body),
        };
        expect(await verifyStandard(body, theirs, { secret: SECRET, now: timestamp })).toBe(true);
        expect(theirs[HEADERS.standard]).toBe(ours[HEADERS.standard]?.split(' ')[1]);
      }),
      { numRuns: 50 },
    );
  });
});

describe('verifying', () => {
  it('accepts a valid signature by either of two secrets', async () => {
    const headers = await signWebhook(MESSAGE, [SECRET, OTHER]);
    expect(await verify(headers)).toBe(true);
    expect(await verify(headers, { secret: OTHER })).toBe(true);
    expect(await verify(headers, { secret: `whsec_${randomBytes(32).toString('base64')}` })).toBe(false);
  });

  it('verifies by x-webhook-signature alone', async () => {
    expect(await verify({ [HEADERS.signature]: hex(SECRET, BODY) })).toBe(true);
    expect(await verify({ [HEADERS.signatureSecondary]: hex(SECRET, BODY) })).toBe(true);
  });

  it('rejects the Standard Webhooks headers alone, and wrong ones next to the right header', async () => {
    const headers: Headers = await signWebhook(MESSAGE, [SECRET]);
    expect(await verify({ ...headers, [HEADERS.signature]: undefined })).toBe(false);
    expect(await verify({ ...headers, [HEADERS.standard]: `v1,${standard(OTHER)}` })).toBe(false);
    expect(await verify({ ...headers, [HEADERS.standard]: '' })).toBe(false);
  });

  it.each([
    [0, true],
    [TOLERANCE_SECONDS, true],
    [-TOLERANCE_SECONDS, true],
    [TOLERANCE_SECONDS + 1, false],
    [-TOLERANCE_SECONDS - 1, false],
    [86_400, false],
  ])('a message received %i s after signing: %s', async (later, accepted) => {
    expect(TOLERANCE_SECONDS).toBe(300);
    const headers = await signWebhook(MESSAGE, [SECRET]);
    expect(await verify(headers, { now: NOW + later })).toBe(accepted);
    expect(await verifyStandard(BODY, headers, { secret: SECRET, now: NOW + later })).toBe(accepted);
  });

  it.each([HEADERS.id, HEADERS.timestamp])('rejects a Standard Webhooks signature without %s', async (name) => {
    const headers: Headers = await signWebhook(MESSAGE, [SECRET]);
    expect(await verify({ ...headers, [name]: undefined })).toBe(false);
  });

  it.each(['', 'now', '-1', '1e9', `${NOW}.5`, ` ${NOW}`, '9'.repeat(13)])(
    'rejects the invalid timestamp “%s”',
    async (text) => {
      const headers = await signWebhook(MESSAGE, [SECRET]);
      expect(await verify({ ...headers, [HEADERS.timestamp]: text })).toBe(false);
    },
  );

  it('detects every flipped bit of the body', async () => {
    const body = '{"a":1}';
    const headers = await signWebhook({ ...MESSAGE, body }, [SECRET]);
    for (let bit = 0; bit < body.length * 7; bit += 1) {
      const bytes = Buffer.from(body);
      const at = Math.floor(bit / 7);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << (bit % 7));
      expect(await verify(headers, { body: bytes.toString('latin1') })).toBe(false);
    }
    expect(await verify(headers, { body })).toBe(true);
  });

  it('detects every flipped bit of a signature, of the ID and of the timestamp', async () => {
    const headers: Headers = await signWebhook(MESSAGE, [SECRET]);
    for (const name of [HEADERS.signature, HEADERS.standard, HEADERS.id, HEADERS.timestamp]) {
      const text = headers[name] ?? '';
      for (let at = 0; at < text.length; at += 1) {
        const flipped = String.fromCharCode(text.charCodeAt(at) ^ 1);
        const changed = text.slice(0, at) + flipped + text.slice(at + 1);
        expect(await verify({ ...headers, [name]: changed }), `${name} at ${at}`).toBe(false);
      }
    }
  });

  it('rejects a hex signature in capitals, cut short or doubled', async () => {
    const signature = hex(SECRET, BODY);
    for (const changed of [signature.toUpperCase(), signature.slice(1), signature + signature, `${signature},x`]) {
      expect(await verify({ [HEADERS.signature]: changed })).toBe(false);
    }
  });

  it('rejects a body that was parsed and serialized again', async () => {
    const headers = await signWebhook(MESSAGE, [SECRET]);
    expect(await verify(headers, { body: JSON.stringify(JSON.parse(BODY)) })).toBe(false);
  });

  it('finds its signature among others, regardless of their versions', async () => {
    const headers = await signWebhook(MESSAGE, [SECRET]);
    const list = `v2,${standard(OTHER)} v1a,AAAA  nonsense ${headers[HEADERS.standard] ?? ''} v1,`;
    expect(await verify({ ...headers, [HEADERS.standard]: list })).toBe(true);
    expect(await verify({ ...headers, [HEADERS.standard]: list.replace(/ v1,[^ ]+ v1,$/, '') })).toBe(false);
  });

  it('compares raw bytes: invalid UTF-8 is not repaired first', async () => {
    const bytes = Buffer.from([0x7b, 0xff, 0x7d]);
    const mended = Buffer.from(bytes.toString('utf8'));
    const digest = createHmac('sha256', SECRET).update(bytes).digest('hex');
    expect(await verifyHex(bytes, digest, SECRET)).toBe(true);
    expect(await verifyHex(mended, digest, SECRET)).toBe(false);
    const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
    const signature = createHmac('sha256', key).update(`m.${NOW}.`).update(bytes).digest('base64');
    const headers = { [HEADERS.id]: 'm', [HEADERS.timestamp]: String(NOW), [HEADERS.standard]: `v1,${signature}` };
    expect(await verifyStandard(bytes, headers, { secret: SECRET, now: NOW })).toBe(true);
    expect(await verifyStandard(mended, headers, { secret: SECRET, now: NOW })).toBe(false);
  });

  it('verifies text and its bytes alike, also when the bytes are part of a larger buffer', async () => {
    const headers = await signWebhook(MESSAGE, [SECRET]);
    const within = Buffer.from(`xx${BODY}xx`).subarray(2, -2);
    expect(await verifyWebhook(within, headers, { secret: SECRET, now: NOW })).toBe(true);
  });

  it.each([
    [String(NOW), 'timely'],
    [String(NOW - 300), 'timely'],
    [String(NOW + 300), 'timely'],
    [String(NOW - 301), 'expired'],
    [String(NOW + 301), 'expired'],
    ['0', 'expired'],
    ['', 'malformed'],
    [`${NOW}, ${NOW}`, 'malformed'],
    ['1e9', 'malformed'],
  ])('judges the timestamp “%s” as %s', (text, verdict) => {
    expect(judgeTimestamp(text, NOW)).toBe(verdict);
  });

  it('by property: every input yields true or false, never an error, with any possible secret', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.stringMatching(/^[0-9a-f]{64}$/),
      fc.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
      fc.constantFrom(String(NOW), 'v1,', 'v1,=', ' '),
    );
    const headers = fc.dictionary(fc.constantFrom(...Object.values(HEADERS)), fc.option(text, { nil: undefined }));
    await fc.assert(
      fc.asyncProperty(text, headers, fc.constantFrom(SECRET, OTHER, 'hunter2'), async (body, sent, secret) => {
        expect(await verify(sent, { body, secret })).toBe(false);
        expect(await verifyStandard(body, sent, { secret, now: NOW })).toBe(false);
        const signed = await signWebhook({ ...MESSAGE, body }, [SECRET]);
        expect(await verify({ ...signed, ...sent }, { body, secret })).toBeTypeOf('boolean');
      }),
      { numRuns: 200 },
    );
  });
});
