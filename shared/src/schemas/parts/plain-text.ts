// Text that the database can search for.
import { z } from 'zod';

/** No item contains a NUL or a lone surrogate, and PostgreSQL accepts neither as a parameter. */
export const plainText = (longest: number) =>
  z
    .string()
    .min(1)
    .max(longest)
    .refine((text) => !text.includes('\0') && text.isWellFormed(), 'NUL and lone surrogates cannot be searched for.');
