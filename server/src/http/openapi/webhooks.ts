// The `webhooks` section of the OpenAPI document: the POST that delivers a final decision to a project
// (docs/spec/webhooks.md#outbound).
import { HEADERS, itemDecided } from '@countersign/shared/webhook';
import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { itemDecidedBody, WEBHOOK_ID } from './examples.ts';
import type { Tag } from './operations.ts';

/** The example has a valid signature with an unused secret, so that a receiver can be tested with it. */
export const EXAMPLE_SECRET = 'whsec_YW4gZXhhbXBsZSBhbmQgbm9ib2R5cyBzZWNyZXQuLi4=';
export const EXAMPLE_HEADERS = {
  [HEADERS.signature]: 'de22f4f2d564bd6a9ca235ea288c70ea436561c0f3b6e652bd7793135abb2104',
  [HEADERS.id]: WEBHOOK_ID,
  [HEADERS.timestamp]: '1772443063',
  [HEADERS.standard]: 'v1,TTM+WfkCMf3B56e0iIvKd4bSV8MFGjKyVDiyQJHLjiE=',
  [HEADERS.attempt]: '1',
};

const headers = z.object({
  [HEADERS.signature]: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .meta({
      description:
        'HMAC-SHA256 of the raw body in lower-case hex. The key is the secret exactly as shown, `whsec_` included.',
      examples: [EXAMPLE_HEADERS[HEADERS.signature]],
    }),
  [HEADERS.signatureSecondary]: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional()
    .meta({
      description: 'The same with the other secret, only during a secret rotation.',
    }),
  [HEADERS.id]: z.string().meta({
    description: 'The same on every retry and replay: ignore IDs you have seen.',
    examples: [EXAMPLE_HEADERS[HEADERS.id]],
  }),
  [HEADERS.timestamp]: z
    .string()
    .regex(/^\d+$/)
    .meta({ description: 'Unix seconds of this attempt.', examples: [EXAMPLE_HEADERS[HEADERS.timestamp]] }),
  [HEADERS.standard]: z.string().meta({
    description:
      'Standard Webhooks: `v1,<base64>` for each secret, separated by a space; HMAC-SHA256 of `id.timestamp.body` with the base64 part of the secret.',
    examples: [EXAMPLE_HEADERS[HEADERS.standard]],
  }),
  [HEADERS.attempt]: z
    .string()
    .regex(/^\d+$/)
    .meta({ description: 'The number of this attempt, from 1.', examples: [EXAMPLE_HEADERS[HEADERS.attempt]] }),
});

const DESCRIPTION = `Sent to the project’s webhook URL when a reviewer’s decision is final. The body is created once: its bytes are the same on every retry and replay, and it contains the submitted JSON byte for byte. Verify the signature over the raw body before parsing it, respond with 2xx within 20 seconds, and ignore a \`webhook-id\` that you have seen.

Any other response is retried: immediately, after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, each ±20 %. Redirects are not followed.

A test event that an owner sends from the project page arrives and is signed in the same way, as \`{"event":"webhook.test",…}\`: respond with 2xx; it contains no decision.

The example is signed with \`${EXAMPLE_SECRET}\`; its body has no white space between its members.`;

const tag: Tag = 'Webhooks';

export const WEBHOOKS: ZodOpenApiPathsObject = {
  'item.decided': {
    post: {
      operationId: 'itemDecided',
      tags: [tag],
      summary: 'A decision on an item is final',
      description: DESCRIPTION,
      security: [],
      requestParams: { header: headers },
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: itemDecided,
            examples: { edited: { summary: 'Edited and approved', value: itemDecidedBody } },
          },
        },
      },
      responses: {
        '2XX': { description: 'Received. The response body is ignored.' },
        '410': { description: 'Gone: the endpoint is paused until its owner resumes it.' },
        '429': {
          description: 'Retry later: `Retry-After` is honoured if it is later than the schedule, up to 10 hours.',
        },
        '503': { description: 'Retry later: as 429.' },
        default: { description: 'Any other status counts as a failure and is retried.' },
      },
    },
  },
};
