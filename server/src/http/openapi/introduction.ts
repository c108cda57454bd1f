// The introduction of the OpenAPI document: what applies to every operation.
import { LIMITS } from '@countersign/shared/api/public';

const KIB = 1024;

export const INTRODUCTION = `A pipeline submits its suggestion; the response says whether it is auto-approved or waits for review. Decisions of reviewers are delivered by a signed webhook, and can be read here.

**Keys.** Send \`x-api-key\`. A key belongs to one project: IDs of other projects return 404, and an item for another project is refused. Cookies are ignored.

**JSON is stored byte for byte.** \`input\`, \`suggestion\` and \`metadata\` are stored as the text that was sent, and returned unchanged in responses and webhooks, including number spelling and key order.

**Limits.** An item has at most ${LIMITS.itemBytes / KIB} KiB, a batch ${LIMITS.batchBytes / KIB / KIB} MiB, counted after decompression (\`content-encoding\` gzip, deflate or br). JSON is nested at most ${LIMITS.depth} deep, has at most ${LIMITS.nodes} values per item and keys of at most ${LIMITS.keyLength} characters. It is I-JSON (RFC 7493): no NUL, no lone surrogates, no integers beyond 2^53-1, no numbers that overflow. Unknown fields are refused.

**Idempotency.** With an \`Idempotency-Key\` a request can be repeated without creating a second item or regression run.

**Errors** are \`application/problem+json\` (RFC 9457). \`code\` is from a closed list; \`detail\` says what to do; \`errors\` points at the fields with JSON pointers into the body. For an internal error, send the \`request_id\` to your operator.

**Rate limits** count per key: \`RateLimit\` and \`RateLimit-Policy\` report the remaining quota; 429 and 503 have \`Retry-After\`.`;
