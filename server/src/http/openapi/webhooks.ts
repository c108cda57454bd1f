// The `webhooks` section of the OpenAPI document: the POST that tells a project of a final decision (docs/spec/webhooks.md#outbound).
import { HEADERS, itemDecided } from '@countersign/shared/webhook';
import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { itemDecidedBody, WEBHOOK_ID } from './examples.ts';
import type { Tag } from './operations.ts';

/** The example is signed for real, by a secret that is nobody's, so that a receiver can be tried with it. */
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
      description: 'The same by the other secret, only while a secret is being rolled in or out.',
    }),
  [HEADERS.id]: z.string().meta({
    description: 'The same on every retry and replay: drop what you have seen.',
    examples: [EXAMPLE_HEADERS[HEADERS.id]],
  }),
  [HEADERS.timestamp]: z
    .string()
    .regex(/^\d+$/)
    .meta({ description: 'Unix seconds of this attempt.', examples: [EXAMPLE_HEADERS[HEADERS.timestamp]] }),
  [HEADERS.standard]: z.string().meta({
    description:
      'Standard Webhooks: `v1,<base64>` for each secret, separated by a space; HMAC-SHA256 of `id.timestamp.body` by the base64 part of the secret.',
    examples: [EXAMPLE_HEADERS[HEADERS.standard]],
  }),
  [HEADERS.attempt]: z
    .string()
    .regex(/^\d+$/)
    .meta({ description: 'Which attempt this is, from 1.', examples: [EXAMPLE_HEADERS[HEADERS.attempt]] }),
});

const DESCRIPTION = `Sent to the project’s webhook URL when a person’s decision is final. The body is made once: its bytes are the same on every retry and replay, and JSON that a pipeline submitted is in it byte for byte. Verify the signature over the raw body before parsing it, answer 2xx within 20 seconds, and drop a \`webhook-id\` that you have seen.

Any other answer is tried again: at once, after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, each give or take 20 %. Redirects are not followed.

A test event that an owner sends from the project’s page comes the same way, signed the same, as \`{"event":"webhook.test",…}\`: answer 2xx, and look for no decision in it.

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
        '2XX': { description: 'Received. Nothing in the answer is read.' },
        '410': { description: 'Gone: the endpoint is paused until its owner resumes it.' },
        '429': { description: 'Later: `Retry-After` is honoured where it is later than the schedule, up to 10 hours.' },
        '503': { description: 'Later: as 429.' },
        default: { description: 'Anything else counts as failed and is tried again.' },
      },
    },
  },
};
