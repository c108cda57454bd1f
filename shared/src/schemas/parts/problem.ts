// The schema of an error response (RFC 9457).
import { z } from 'zod';
import { ERRORS, type ErrorCode, type FieldError } from '../../errors.ts';
import { decision } from './decision.ts';
import { itemStatus } from './enums.ts';
import { uuid } from './ids.ts';

export const fieldError = z.object({
  pointer: z
    .string()
    .meta({ description: 'A JSON pointer into the body (`#/risk_flags/0`) or the query (`#/query/limit`)' }),
  code: z.string(),
  detail: z.string().meta({ description: 'What is wrong with it' }),
}) satisfies z.ZodType<FieldError>;

/** The body of every error response: RFC 9457 `application/problem+json` with our `code` and `request_id`. */
export const problem = z
  .object({
    type: z.string().meta({ description: 'A URN that ends with the code' }),
    title: z.string().meta({ description: 'The code in words, always the same' }),
    status: z.number().int().meta({ description: 'The HTTP status' }),
    detail: z.string().meta({ description: 'What to do' }),
    instance: z.string().meta({ description: 'The path of the request' }),
    code: z
      .enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]])
      .meta({ description: 'An error code of this closed list: programs should check this field' }),
    request_id: z.string().meta({ description: 'The `x-request-id` of this response' }),
    errors: z.array(fieldError).optional().meta({ description: 'Every error of every field' }),
    holder: z
      .object({ user_id: z.string(), name: z.string() })
      .nullable()
      .optional()
      .meta({ description: 'Who has claimed the item, when someone else’s claim is the reason' }),
    expires_at: z.string().nullable().optional().meta({ description: 'When that claim expires' }),
    item: z
      .object({ id: uuid, status: itemStatus, decision: decision.nullable() })
      .optional()
      .meta({ description: 'The item, where its state is the reason' }),
  })
  .meta({ id: 'Problem', description: 'Why a request was refused (RFC 9457)' });
export type Problem = z.infer<typeof problem>;
