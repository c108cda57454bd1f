// Tests that signing keys are made once per secret, and that a secret signs for its own endpoint only.
import { randomBytes } from 'node:crypto';
import { afterEach, expect, it } from 'vitest';
import { answering, closeReceivers } from '../../test/fixtures/receivers.ts';
import { encrypt, type KeyRing, parseKeyRing } from '../crypto/key-ring.ts';
import { makeWebhookSecret } from '../crypto/webhook-secret.ts';
import { secretContext } from '../domain/webhooks/signing.ts';
import { dispatchWebhook } from './dispatch.ts';

const ENDPOINT = '00000000-0000-7000-8000-000000000001';
const OTHER = '00000000-0000-7000-8000-000000000002';

afterEach(closeReceivers);

const newRing = (): KeyRing => parseKeyRing(`test:${randomBytes(32).toString('base64')}`);

/** Sends through one receiver, each time with the secret of `ENDPOINT` as a statement returns it. */
async function sender(keyRing: KeyRing) {
  const { port } = await answering('HTTP/1.1 204 No Content\r\n\r\n');
  const current = encrypt(keyRing, makeWebhookSecret(), secretContext(ENDPOINT));
  const secrets = { next: null, promoteAt: null, previous: null, previousUntil: null, overlapHours: 24 };
  const tools = { keyRing, policy: { allowCidrs: ['127.0.0.0/8'], allowHttp: true } };
  const message = { projectId: ENDPOINT, url: `http://127.0.0.1:${port}/`, webhookId: 'evt_1', attempt: 1, body: '{}' };
  return (endpointId: string) =>
    dispatchWebhook(tools, { ...message, endpointId, secrets: { ...secrets, current }, at: new Date(0) });
}

it('decrypts a secret once for many deliveries', async () => {
  let uses = 0;
  const [{ kid, key }] = newRing();
  const counted = {
    kid,
    get key() {
      uses += 1;
      return key;
    },
  };
  const send = await sender([counted]);
  uses = 0;
  for (const { error } of [await send(ENDPOINT), await send(ENDPOINT)]) expect(error).toBeNull();
  expect(uses).toBe(1);
});

it('K3: refuses the secret of another endpoint, also after it has signed for its own', async () => {
  const send = await sender(newRing());
  expect(await send(ENDPOINT)).toMatchObject({ error: null });
  expect(await send(OTHER)).toMatchObject({ error: 'internal', httpStatus: null, signatures: 0 });
});
