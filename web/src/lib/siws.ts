// The text a wallet signs (Sign-In With Solana), built byte for byte as the server rebuilds it.
import type { SignInInput } from '@countersign/shared/api/session';

/** The message for one address. Order and spelling of the fields are fixed by the standard; every field is set by the server. */
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
