// A moment as a program sends it.
import { z } from 'zod';

/** RFC 3339 with offset, which allows a `t` and a `z`. */
export const moment = z.preprocess(
  (text) => (typeof text === 'string' ? text.toUpperCase() : text),
  z.iso.datetime({ offset: true }),
);
