// What people may call themselves: text that shows, at most 100 characters, nothing that hides or turns around what stands beside it (PM4).
import { z } from 'zod';

/** Control characters, separators of lines, and what sets the direction of text or takes no room. Joiners are letters of some scripts. */
const UNSEEN =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}]/u;
/** Joiners beside Latin letters change nothing that is seen, and make another's name look like theirs. */
const JOINED = /\p{Script=Latin}[\u200c\u200d]|[\u200c\u200d]\p{Script=Latin}/u;
/** What stands for a wallet whose person chose no name: nobody is called like another's wallet. */
const LIKE_A_WALLET = /^(?:[1-9A-HJ-NP-Za-km-z]{4}(?:…|\.{2,})[1-9A-HJ-NP-Za-km-z]{4}|[1-9A-HJ-NP-Za-km-z]{32,44})$/;
const SHOWS = /[\p{L}\p{N}\p{P}\p{S}]/u;

export const personName = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .refine(
    (text) => !UNSEEN.test(text) && !JOINED.test(text) && SHOWS.test(text),
    'A name is made of characters that show: no line breaks, no control characters.',
  )
  .refine((text) => !LIKE_A_WALLET.test(text), 'A name is no wallet address: without one yours is shown shortened.');
