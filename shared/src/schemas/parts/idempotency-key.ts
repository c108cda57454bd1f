// The key that makes a request safe to repeat, and the header that carries it.
import { z } from 'zod';

/** 1 to 255 printable ASCII characters; a structured-field string in double quotes means its content. */
export const idempotencyKey = z
  .string()
  .transform((text) => /^"(.*)"$/.exec(text)?.[1] ?? text)
  .pipe(z.string().regex(/^[\x20-\x7e]{1,255}$/, 'An Idempotency-Key has 1 to 255 printable ASCII characters.'));

/** The header of such a key; `description` says what a repeat returns. Spaces around the value of a header are not part of it. */
export const idempotencyHeader = (description: string) =>
  z
    .string()
    .optional()
    .meta({
      description: `${description} 1 to 255 printable ASCII characters, bare or in double quotes.`,
      pattern: '^(?:"[ -~]{1,255}"|(?!""$)[!-~](?:[ -~]{0,253}[!-~])?)$',
    });
