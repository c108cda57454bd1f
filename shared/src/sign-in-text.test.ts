// The message that a wallet signs equals the text of the standard, byte for byte.
import { createSignInMessageText } from '@solana/wallet-standard-util';
import type { SignInInput } from '@countersign/shared/schemas/session';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { signInText } from './sign-in-text.ts';

const line = fc.stringMatching(/^[ -~]{1,60}$/);
const input: fc.Arbitrary<SignInInput> = fc.record({
  domain: line,
  uri: line,
  statement: line,
  version: fc.constant('1' as const),
  chainId: fc.constantFrom('mainnet', 'devnet', 'solana:mainnet'),
  nonce: fc.stringMatching(/^[0-9A-Za-z]{24}$/),
  issuedAt: line,
  expirationTime: line,
});
const address = fc.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/);

it('builds what @solana/wallet-standard-util builds, for every input the server can set (S5, S10)', () => {
  fc.assert(
    fc.property(input, address, (given, who) => {
      expect(signInText(given, who)).toBe(createSignInMessageText({ ...given, address: who }));
    }),
  );
});
