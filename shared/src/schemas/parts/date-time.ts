// A date-time in a request: RFC 3339 with an offset.
import { z } from 'zod';

/** RFC 3339 also allows a `t` and a `z`. */
export const dateTime = z.preprocess(
  (text) => (typeof text === 'string' ? text.toUpperCase() : text),
  z.iso.datetime({ offset: true }),
);
