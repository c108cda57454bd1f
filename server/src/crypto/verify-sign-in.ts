// Verifies a signed sign-in against the text of its stored challenge, with the key that the address encodes.
import { timingSafeEqual } from 'node:crypto';
import type { SignInInput } from '@countersign/shared/schemas/session';
import { signInText } from '@countersign/shared/sign-in-text';
import { isAddress, signedForms } from '../domain/access/sign-in.ts';
import { decodeAddress, verifySignature } from './ed25519.ts';

const MAX_MESSAGE_BYTES = 2048;
const SIGNATURE_BYTES = 64;

/** What the page submits, next to the stored challenge. `signedMessage` and `signature` are base64. */
interface SignedSignIn {
  input: SignInInput;
  address: string;
  signedMessage: string;
  signature: string;
}

/**
 * Whether the owner of `address` signed the challenge `input`, checked in the order of rule S6; a text that differs from ours is
 * rejected before any signature check (S5). Uses no clock and no store: the caller checks the time (S8) and consumes the
 * challenge first (S3). Never throws, for any input.
 */
export function verifySignIn({ input, address, signedMessage, signature }: SignedSignIn): boolean {
  if (!isText(address) || !isAddress(address)) return false;
  const message = fromBase64(signedMessage, MAX_MESSAGE_BYTES);
  const signatureBytes = fromBase64(signature, SIGNATURE_BYTES);
  if (message === null || signatureBytes?.length !== SIGNATURE_BYTES) return false;
  const publicKey = decodeAddress(address);
  if (publicKey === null) return false;
  return candidates(message, { input, address, publicKey }).some((form) =>
    verifySignature(form, signatureBytes, publicKey),
  );
}

/**
 * The forms that the signature may cover. A wallet may report an envelope, which then is the only candidate, or the plain text
 * although its device signed an envelope: each form contains the whole text, so all are equally safe.
 */
function candidates(
  message: Buffer,
  { input, address, publicKey }: { input: SignInInput; address: string; publicKey: Uint8Array },
): Uint8Array[] {
  const text = Buffer.from(signInText(input, address), 'utf8');
  const forms = signedForms(text, publicKey, Buffer.from(input.domain, 'utf8'));
  return isSame(message, text) ? forms : forms.filter((form) => isSame(message, form));
}

function isSame(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Decodes base64; null unless the text is the canonical encoding (RFC 4648 section 4, padded) of at most `maxBytes`. */
function fromBase64(text: unknown, maxBytes: number): Buffer | null {
  if (!isText(text) || text.length > Math.ceil(maxBytes / 3) * 4) return null;
  const bytes = Buffer.from(text, 'base64');
  return bytes.length <= maxBytes && bytes.toString('base64') === text ? bytes : null;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
