// Builds what a browser submits for a challenge: the message as its wallet builds and signs it.
import { signInText } from '@countersign/shared/sign-in-text';
import type { Challenge, SignedChallenge } from '../../../src/usecases/credentials/sign-in.ts';
import { makeWallet, type Wallet } from '../../client.ts';

export const base64 = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64');

/** The challenge, signed by this wallet for its own address. */
export function signedInput(given: Challenge, wallet: Wallet = makeWallet()): SignedChallenge {
  const text = Buffer.from(signInText(given.input, wallet.address));
  return {
    challengeId: given.id,
    binder: given.binder,
    address: wallet.address,
    signedMessage: base64(text),
    signature: base64(wallet.sign(text)),
    userAgent: undefined,
    heldToken: undefined,
  };
}
