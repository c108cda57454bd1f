// How the API behaves where a schema cannot say it: repeats, waiting, pages, catching up, limits, inbound webhooks.
import { LIMITS } from '@countersign/shared/api/public';
import { TOLERANCE_SECONDS } from '@countersign/shared/webhook';

export interface Chapter {
  id: string;
  title: string;
  /** Markdown. */
  text: string;
}

const KIB = 1024;

export const GUIDE: readonly Chapter[] = [
  {
    id: 'repeats',
    title: 'Repeats',
    text: `Send an \`Idempotency-Key\`, one for one piece of work: 1 to 255 printable ASCII characters, known for 7 days to your project and the operation. Then any request can be sent again.

- Same key, same body: the first status code, the item as it is now, and \`Idempotent-Replayed: true\`.
- Same key, another body: 422 \`idempotency_key_reused\`.
- The first is still running: 409 \`idempotency_in_progress\` with \`Retry-After: 1\`.

What was refused or failed is not remembered: mend it and send it with the same key. This holds between processes and through a crash.`,
  },
  {
    id: 'waiting',
    title: 'Waiting for a decision',
    text: `\`Prefer: wait=N\` on a submission, or \`?wait=N\` when reading an item, holds the answer until the item is final or N seconds have passed (at most ${LIMITS.waitSeconds}). The answer has the same shape either way: look at \`status\`. \`Preference-Applied: wait=N\` on a submission says that it could wait.

A decision shows here when it is final, which is when the reviewer’s undo window has passed; until then the item reads \`queued\` or \`escalated\`. Where a key, or its owner with all projects, has as many requests waiting as they may, the rest is stored or read all the same and answered at once: ask again a second later. For everything that takes longer there is [the webhook](#webhook).`,
  },
  {
    id: 'paging',
    title: 'Pages',
    text: `A list answers \`{data, has_more, next_cursor}\`. Send \`next_cursor\` as \`after\` for the page behind it, \`limit\` (1 to ${LIMITS.pageItems}) for its size. A cursor is a place, not a number: what arrives meanwhile moves nothing and doubles nothing.`,
  },
  {
    id: 'catching-up',
    title: 'Catching up',
    text: `Were you down? [\`GET /api/public/events\`](#listEvents) is the project’s ledger of final decisions, in order. Keep \`next_cursor\` and send it as \`after\` next time: it is there even when nothing is new, and no decision can slip in before it. An event’s \`id\` is the \`webhook-id\` of the delivery that tells the same, so what reaches you both ways counts once.`,
  },
  {
    id: 'busy',
    title: 'Rate limits',
    text: `Counted for each key. \`RateLimit\` says what is left, \`RateLimit-Policy\` what the limit is. 429 and 503 carry \`Retry-After\` in seconds: wait that long and send the same request with the same \`Idempotency-Key\`. Many items travel better [in a batch](#submitBatch) of up to ${LIMITS.batchItems}; each of them counts as one request.`,
  },
  {
    id: 'json',
    title: 'JSON and its limits',
    text: `\`input\`, \`suggestion\` and \`metadata\` are kept as the text you sent and come back so, number spelling and key order included. What cannot be kept so is refused with a pointer to the place, never changed. Unknown fields are refused: a misspelt \`risk_flag\` must not slip an item past escalation.

- An item: ${LIMITS.itemBytes / KIB} KiB; a batch: ${LIMITS.batchBytes / KIB / KIB} MiB; both after inflation.
- At most ${LIMITS.depth} deep, ${LIMITS.nodes.toLocaleString('en')} values, ${LIMITS.keyLength} characters for a key.
- I-JSON (RFC 7493): no NUL, no lone surrogates, no whole number beyond 2^53-1, none that overflows.`,
  },
  {
    id: 'inbound',
    title: 'Inbound webhooks',
    text: `A system that signs its webhooks can submit without a key: [\`POST /api/public/inbound/{source_id}\`](#receiveInbound). The owner of your project makes the source, and gets its address and its secret. The body is a submission; \`project_id\` may be left out.

- Sign with \`x-webhook-signature\`: lower-case hex HMAC-SHA256 of the raw body, the key is the secret as shown.
- Or with the Standard Webhooks headers \`webhook-id\`, \`webhook-timestamp\` and \`webhook-signature\`; the timestamp may be ${TOLERANCE_SECONDS} s off.

A repeat (the same \`webhook-id\`; without one, the same body) is answered 200 and does nothing. A wrong signature and an unknown source get the same 401.`,
  },
];
