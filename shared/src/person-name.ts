// What people may call themselves: text that shows, at most 100 characters, nothing that hides or turns around what stands beside it (PM4).
import { z } from 'zod';

/** Control characters, separators of lines, and what sets the direction of text or takes no room. Joiners are letters of some scripts. */
const UNSEEN =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u00ad\u034f\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}]/u;
const SHOWS = /[\p{L}\p{N}\p{P}\p{S}]/u;

export const personName = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .refine(
    (text) => !UNSEEN.test(text) && SHOWS.test(text),
    'A name is made of characters that show: no line breaks, no control characters.',
  );
