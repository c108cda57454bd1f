// Validates display names (PM4): 100 visible characters, and not like a wallet, a role or the product.
import { z } from 'zod';

/**
 * Control characters, line separators, and characters that set text direction or have no width. Joiners are needed in
 * some scripts.
 */
const INVISIBLE =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}]/u;
/** Joiners next to Latin letters are invisible and would make two names look the same. */
const LATIN_JOINER = /\p{Script=Latin}[\u200c\u200d]|[\u200c\u200d]\p{Script=Latin}/u;
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** Letters of other alphabets, and the Latin letters that they look like. */
const LOOKALIKES = new Map(
  Array.from('авсԁеѕіјкмнортухԝαεηικμνορτυχı', (letter, at) => [letter, 'abcdesijkmhoptyxwaenikmvoptyxi'.charAt(at)]),
);

/**
 * The appearance of a text: without invisible characters, case, width and accents, with lookalikes mapped to Latin
 * letters.
 */
const confusableSkeleton = (text: string): string =>
  Array.from(
    text
      .normalize('NFKD')
      .replace(/[\p{Default_Ignorable_Code_Point}\p{M}]/gu, '')
      .toLowerCase(),
    (letter) => LOOKALIKES.get(letter) ?? letter,
  )
    .join('')
    .replace(/\s+/gu, ' ')
    .replace(/^[\p{P}\p{S}\s]+|[\p{P}\p{S}\s]+$/gu, '');

/** Names that the product uses for people and parts of itself. */
const RESERVED = new Set(
  [
    ...['countersign', 'operator', 'the operator', 'system', 'the system', 'demo host', 'demo pipeline'],
    ...['you', 'me', 'no name', 'unknown', 'nobody', 'somebody', 'someone', 'anyone', 'everyone'],
    ...['owner', 'supervisor', 'reviewer', 'pipeline', 'api key', 'admin', 'administrator', 'support'],
  ].map(confusableSkeleton),
);
/** The name of an erased user (KE6). */
const FORGOTTEN = /^former member\b/;

/** Several dots, or one character that looks like several. */
const DOTS = '(?:[.․·•∙⋅・‧。]{2,}|[…‥⋯᠁]+)';
/** The shortened address of a wallet without a name: four letters, dots, four letters, in any alphabet. */
const SHORTENED = new RegExp(`^[\\p{L}\\p{N}]{4}${DOTS}[\\p{L}\\p{N}]{4}$`, 'u');
/** The same with spaces, which no ordinary name matches. */
const SHORTENED_WITH_SPACES = new RegExp(`^([\\p{L}\\p{N}]{4})\\s*${DOTS}\\s*([\\p{L}\\p{N}]{4})$`, 'u');
const NOT_A_WORD = /\p{N}|\p{Ll}\p{Lu}/u;
const FULL_ADDRESS = /^(?:[1-9A-HJ-NP-Za-km-z]{32,44}|(?=.*\p{N})[\p{L}\p{N}]{32,44})$/u;

function looksLikeWallet(name: string): boolean {
  // Compatibility normalization would split an ellipsis, which the patterns expect in one character.
  const shown = name.normalize('NFC').replace(/[\p{Default_Ignorable_Code_Point}\p{M}]/gu, '');
  const folded = shown.normalize('NFKC');
  if ([shown, folded].some((text) => FULL_ADDRESS.test(text) || SHORTENED.test(text))) return true;
  const [, head = '', tail = ''] = SHORTENED_WITH_SPACES.exec(shown) ?? SHORTENED_WITH_SPACES.exec(folded) ?? [];
  return NOT_A_WORD.test(head) || NOT_A_WORD.test(tail);
}

const isReserved = (name: string): boolean =>
  RESERVED.has(confusableSkeleton(name)) || FORGOTTEN.test(confusableSkeleton(name));

export const personName = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .refine(
    (text) => !INVISIBLE.test(text) && !LATIN_JOINER.test(text) && VISIBLE.test(text),
    'A name must consist of visible characters: no line breaks, no control characters.',
  )
  .refine(
    (text) => !looksLikeWallet(text),
    'A name must not look like a wallet address. Without a name, your address is shown shortened.',
  )
  .refine((text) => !isReserved(text), 'This name has another meaning here. Choose the name people know you by.');
