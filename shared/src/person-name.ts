// What people may call themselves (PM4): at most 100 characters that show, and nothing that looks like a wallet, a role or the product.
import { z } from 'zod';

/** Control characters, separators of lines, and what sets the direction of text or takes no room. Joiners are letters of some scripts. */
const INVISIBLE =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}]/u;
/** Joiners beside Latin letters change nothing that is seen, and make another's name look like theirs. */
const LATIN_JOINER = /\p{Script=Latin}[\u200c\u200d]|[\u200c\u200d]\p{Script=Latin}/u;
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** Letters of other alphabets, and the ones of ours that they look like. */
const LOOKALIKES = new Map(
  Array.from('авсԁеѕіјкмнортухԝαεηικμνορτυχı', (letter, at) => [letter, 'abcdesijkmhoptyxwaenikmvoptyxi'.charAt(at)]),
);

/** A text as it looks: without what does not show, without case, width and accents, in our letters where it looks like them. */
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

/** What stands for people and parts of the product where names stand. */
const RESERVED = new Set(
  [
    ...['countersign', 'operator', 'the operator', 'system', 'the system', 'demo host', 'demo pipeline'],
    ...['you', 'me', 'no name', 'unknown', 'nobody', 'somebody', 'someone', 'anyone', 'everyone'],
    ...['owner', 'supervisor', 'reviewer', 'pipeline', 'api key', 'admin', 'administrator', 'support'],
  ].map(confusableSkeleton),
);
/** Who was forgotten (KE6). */
const FORGOTTEN = /^former member\b/;

/** Dots in a row, or one sign that looks like them. */
const DOTS = '(?:[.․·•∙⋅・‧。]{2,}|[…‥⋯᠁]+)';
/** What stands for a wallet whose person chose no name: four letters, dots, four letters, in whatever alphabet. */
const SHORTENED = new RegExp(`^[\\p{L}\\p{N}]{4}${DOTS}[\\p{L}\\p{N}]{4}$`, 'u');
/** The same with room in it, where no word looks like that. */
const SHORTENED_WITH_SPACES = new RegExp(`^([\\p{L}\\p{N}]{4})\\s*${DOTS}\\s*([\\p{L}\\p{N}]{4})$`, 'u');
const NOT_A_WORD = /\p{N}|\p{Ll}\p{Lu}/u;
const FULL_ADDRESS = /^(?:[1-9A-HJ-NP-Za-km-z]{32,44}|(?=.*\p{N})[\p{L}\p{N}]{32,44})$/u;

function looksLikeWallet(name: string): boolean {
  // Compatibility forms would take a sign of dots apart, which is known as it is.
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
    'A name is made of characters that show: no line breaks, no control characters.',
  )
  .refine((text) => !looksLikeWallet(text), 'A name is no wallet address: without one yours is shown shortened.')
  .refine((text) => !isReserved(text), 'This name stands for something else here. Choose the one people know you by.');
