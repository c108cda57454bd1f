// Verifies a signed sign-in: the text is rebuilt from our own challenge, the key comes from the address, nothing is parsed.
import { timingSafeEqual } from 'node:crypto';
import type { SignInInput } from '@countersign/shared/api/session';
import { signInText } from '@countersign/shared/sign-in-text';
import { isAddress, signedForms } from '../domain/access/sign-in.ts';
import { decodeAddress, verifySignature } from './ed25519.ts';

const MAX_MESSAGE_BYTES = 2048;
const SIGNATURE_BYTES = 64;

/** What the page hands in, next to the challenge as we stored it. `signedMessage` and `signature` are base64. */
interface SignedSignIn {
  input: SignInInput;
  address: string;
  signedMessage: string;
  signature: string;
}

/**
 * Whether the owner of `address` signed our challenge `input`, in the order of rule S6; a text that is not exactly ours is
 * refused before any signature work (S5). Looks at no clock and no store: the caller checks time (S8) and takes the
 * challenge out of use first (S3). Never throws, whatever was handed in.
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
 * The forms that the signature may be over. A wallet may report an envelope, which then is the only candidate, or the plain
 * text although the device below it signed an envelope: each form holds the whole text, so each is as good as the other.
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

/** The bytes of a base64 text, or null unless it is their one spelling (RFC 4648 section 4, padded) and at most `maxBytes`. */
function fromBase64(text: unknown, maxBytes: number): Buffer | null {
  if (!isText(text) || text.length > Math.ceil(maxBytes / 3) * 4) return null;
  const bytes = Buffer.from(text, 'base64');
  return bytes.length <= maxBytes && bytes.toString('base64') === text ? bytes : null;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
