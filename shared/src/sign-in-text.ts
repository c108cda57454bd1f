// The text that a wallet signs (Sign-In With Solana): the page builds it and the server rebuilds it with this function.
import type { SignInInput } from './schemas/session.ts';

/**
 * The sign-in text, byte for byte as a wallet builds it from the same input (S5): the server rebuilds and compares it
 * and never parses it. `address` must look like a Solana address, so that it cannot add lines.
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
