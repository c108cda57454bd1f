// Tests that sign-in refuses forged signatures and values made to be slow, and creates no user from them.
import { ed25519 } from '@noble/curves/ed25519.js';
import bs58 from 'bs58';
import nacl from 'tweetnacl';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { challenge, verify } from '@countersign/shared/routes/session';
import { signInText } from '@countersign/shared/sign-in-text';
import { signIn, startSignIn, type SignedChallenge } from '../../../src/usecases/credentials/sign-in.ts';
import { browser, makeWallet, signedChallenge } from '../../client.ts';
import { base64, signedInput } from './sign-in-input.ts';
import { serve, type Served } from '../support/http-server.ts';
import { useServices } from '../support/test-services.ts';

const inside = useServices();
let served: Served;

// Each test has its own server: on a busy machine a reused connection may be closing.
beforeEach(async () => {
  served = await serve(inside.services);
});
afterEach(() => served.close());

const refused = (signed: SignedChallenge) =>
  expect(signIn(inside.services, signed)).rejects.toMatchObject({ code: 'signature_invalid' });
const start = () => startSignIn(inside.services);
const users = (address: string) => inside.sql('select id from app_user where address = ?', [address]);

/** The eight encodings of small order (S6): for each of them signatures can be made without any key. */
const SMALL_ORDER = [
  '0100000000000000000000000000000000000000000000000000000000000000',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  '0000000000000000000000000000000000000000000000000000000000000080',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
  '0000000000000000000000000000000000000000000000000000000000000000',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
];

/** A forged signature that tweetnacl accepts for the key: R = S·B, trying as many S as it needs. */
function forged(message: Uint8Array, key: Uint8Array): Uint8Array {
  for (let scalar = 1; scalar < 256; scalar += 1) {
    const point = ed25519.Point.BASE.multiply(BigInt(scalar)).toBytes();
    const signature = Uint8Array.from([...point, scalar, ...new Uint8Array(31)]);
    if (nacl.sign.detached.verify(message, signature, key)) return signature;
  }
  throw new Error('This key was not forged.');
}

describe('the signature', () => {
  it.each(SMALL_ORDER)('S6: forged for the small-order key %s signs nobody in', async (encoding) => {
    const key = Buffer.from(encoding, 'hex');
    const given = await start();
    const address = bs58.encode(key);
    const text = Buffer.from(signInText(given.input, address));
    const attack = {
      ...signedInput(given),
      address,
      signedMessage: base64(text),
      signature: base64(forged(text, key)),
    };
    await refused(attack);
    expect(await users(address)).toEqual([]);
  });

  it('S6: malleated into S + L signs nobody in, although tweetnacl accepts it', async () => {
    const wallet = makeWallet();
    const signed = signedInput(await start(), wallet);
    const bytes = Buffer.from(signed.signature, 'base64');
    const scalar = BigInt(`0x${Buffer.from(bytes.subarray(32).toReversed()).toString('hex')}`);
    const raised = (scalar + ed25519.Point.Fn.ORDER).toString(16).padStart(64, '0');
    const signature = Buffer.concat([bytes.subarray(0, 32), Buffer.from(raised, 'hex').toReversed()]);
    const message = Buffer.from(signed.signedMessage, 'base64');
    expect(nacl.sign.detached.verify(message, signature, bs58.decode(wallet.address))).toBe(true);
    await refused({ ...signed, signature: base64(signature) });
  });

  it('S6: values of 20 000 and 400 000 characters are refused before any quadratic work', async () => {
    const page = browser(served.testEnv);
    const given = await page.call(challenge, {});
    const signed = signedChallenge(makeWallet(), given);
    for (const name of ['address', 'signed_message', 'signature', 'challenge_id'] as const) {
      await page.refused('validation_failed', verify, { body: { ...signed, [name]: '1'.repeat(20_000) } });
    }
    // The same for the use case, without the contract in front.
    for (const length of [20_000, 400_000]) {
      const long = { address: 'z'.repeat(length), signedMessage: '\n'.repeat(length), signature: 'A'.repeat(length) };
      await refused({ ...signedInput(await start()), address: long.address });
      await refused({ ...signedInput(await start()), signedMessage: long.signedMessage });
      await refused({ ...signedInput(await start()), signature: long.signature });
      await refused({ ...signedInput(await start()), challengeId: long.address });
    }
    // Decoding one address of 400 000 characters takes a minute and more, which is longer than this test's timeout.
    await page.call(verify, { body: signed });
  });
});
