// An integer in a query string.
import { z } from 'zod';

/**
 * Of digits only: `Number` would also take an empty text, `0x10` and `1e1`. A default is a `prefault`, since JSON Schema
 * shows no other one of what is converted.
 */
export const queryInteger = (least: number, most: number) =>
  z.preprocess(
    (text) => (typeof text === 'string' && /^\d+$/.test(text) ? Number(text) : text),
    z.number().int().min(least).max(most),
  );
