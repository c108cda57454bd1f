// The guide to the API beyond its schemas: retries, waiting, pagination, catching up, limits, inbound webhooks.
import { LIMITS } from '@countersign/shared/limits';
import { TOLERANCE_SECONDS } from '@countersign/shared/webhook';

export interface Chapter {
  id: string;
  title: string;
  /** Markdown. */
  text: string;
}

const KIB = 1024;
/** Without Intl, whose first use takes a phone 50 ms. */
const grouped = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ',');

export const GUIDE: readonly Chapter[] = [
  {
    id: 'repeats',
    title: 'Idempotency',
    text: `Send an \`Idempotency-Key\`, one per logical request: 1 to 255 printable ASCII characters, remembered for 7 days per project and operation. You can then safely send any request again.

- Same key, same body: the first status code, the item as it is now, and \`Idempotent-Replayed: true\`.
- Same key, another body: 422 \`idempotency_key_reused\`. Bodies are compared byte for byte, so leave out what changes with each run.
- The first request is still running: 409 \`idempotency_in_progress\` with \`Retry-After: 1\`.

Rejected or failed requests are not remembered: fix the request and retry it with the same key. Keys survive restarts.`,
  },
  {
    id: 'waiting',
    title: 'Waiting for a decision',
    text: `\`Prefer: wait=N\` on a submission, or \`?wait=N\` when reading an item, holds the response until the item is final or N seconds have passed (at most ${LIMITS.waitSeconds}). The response has the same shape either way: check \`status\`. \`Preference-Applied: wait=N\` on a submission confirms that the wait was applied.

A decision appears here when it is final, after the reviewer’s undo window has passed; until then the item is \`queued\` or \`escalated\`. The number of waiting requests is limited per key and per owner across all projects. Requests over the limit are still stored or read, but get an immediate response: ask again a second later. For anything that takes longer, use [the webhook](#webhook).`,
  },
  {
    id: 'paging',
    title: 'Pagination',
    text: `A list returns \`{data, has_more, next_cursor}\`. Send \`next_cursor\` as \`after\` to get the next page, and \`limit\` (1 to ${LIMITS.pageItems}) to set its size. Cursors are stable: new items never shift or duplicate results.`,
  },
  {
    id: 'catching-up',
    title: 'Catching up after downtime',
    text: `[\`GET /api/public/events\`](#listEvents) lists the final decisions of the project, in order. Store \`next_cursor\` and send it as \`after\` next time: it is returned even when there are no new events, and no decision is ever inserted before it. The \`id\` of an event is the \`webhook-id\` of its delivery, so you can deduplicate decisions that reach you both ways.`,
  },
  {
    id: 'busy',
    title: 'Rate limits',
    text: `Rate limits apply per key. \`RateLimit\` says how much is left, \`RateLimit-Policy\` what the limit is. 429 and 503 carry \`Retry-After\` in seconds: wait that long, then send the same request with the same \`Idempotency-Key\`. For many items, use [batches](#submitBatch) of up to ${LIMITS.batchItems}; each item counts as one request.`,
  },
  {
    id: 'json',
    title: 'JSON and its limits',
    text: `\`input\`, \`suggestion\` and \`metadata\` are stored as the text you sent and returned unchanged, including number format and key order. Anything that cannot be stored exactly is rejected with a pointer to it, never altered. Unknown fields are rejected, so that a misspelled \`risk_flag\` cannot keep an item from being escalated.

- Size: ${LIMITS.itemBytes / KIB} KiB per item, ${LIMITS.batchBytes / KIB / KIB} MiB per batch, both after decompression.
- At most ${LIMITS.depth} levels of nesting, ${grouped(LIMITS.nodes)} values, and ${LIMITS.keyLength} characters per key.
- I-JSON (RFC 7493): no NUL, no lone surrogates, no integer beyond 2^53-1, no number that overflows.`,
  },
  {
    id: 'inbound',
    title: 'Inbound webhooks',
    text: `A system that signs its webhooks can submit without a key: [\`POST /api/public/inbound/{source_id}\`](#receiveInbound). A project owner creates the source and gets its URL and secret. The body is a submission; \`project_id\` is optional.

- Sign with \`x-webhook-signature\`: lower-case hex HMAC-SHA256 of the raw body, with the secret as shown as the key.
- Or sign with the Standard Webhooks headers \`webhook-id\`, \`webhook-timestamp\` and \`webhook-signature\`; the timestamp may be ${TOLERANCE_SECONDS} s off.

A duplicate (the same \`webhook-id\`, or the same body if there is no ID) gets a 200 and has no effect. A wrong signature and an unknown source both get the same 401.`,
  },
];
