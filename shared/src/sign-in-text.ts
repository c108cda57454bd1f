// The text a wallet signs (Sign-In With Solana): the page builds it, the server rebuilds it, from this one place.
import type { SignInInput } from './api/session.ts';

/**
 * The sign-in text, byte for byte as a wallet builds it from the same input (S5): it is rebuilt and compared, never parsed.
 * `address` must look like a Solana address, so that it cannot bring lines of its own.
 */
export function signInText(input: SignInInput, address: string): string {
  return [
    `${input.domain} wants you to sign in with your Solana account:`,
    address,
    '',
    input.statement,
    '',
    `URI: ${input.uri}`,
    `Version: ${input.version}`,
    `Chain ID: ${input.chainId}`,
    `Nonce: ${input.nonce}`,
    `Issued At: ${input.issuedAt}`,
    `Expiration Time: ${input.expirationTime}`,
  ].join('\n');
}
